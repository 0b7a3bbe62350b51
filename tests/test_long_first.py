"""Tests of long modules begin first, and those of a module stay together in their order."""

from typing import NamedTuple

from long_first import long_modules_first


class Item(NamedTuple):
    """What is asked of a test."""

    nodeid: str
    is_slow: bool = False

    def get_closest_marker(self, name: str) -> object:
        return object() if self.is_slow and name == "slow" else None


def test_a_module_of_few_slow_tests_comes_before_one_of_many_quick_ones() -> None:
    quick = [Item(f"quick.py::test[{place}]") for place in range(20)]
    training = [Item("training.py::test_a", True), Item("training.py::test_b")]
    first_slow = [Item("first.py::test_z"), Item("first.py::test_a", True)]
    mixed = [*quick[:10], training[0], *first_slow, *quick[10:], training[1]]
    assert long_modules_first(mixed) == [*first_slow, *training, *quick]  # type: ignore[arg-type, comparison-overlap]
