"""Public names as they are read from the source, with what they are called with."""

from collections.abc import Callable
from pathlib import Path

import pytest
from extensions import source
from extensions.signatures import of_method, signature, value

PACKAGE = "explorative_user_env"

House = Callable[[dict[str, str]], Path]


@pytest.fixture
def house(tmp_path: Path) -> House:
    """Build a package of these files."""

    def build(texts: dict[str, str]) -> Path:
        for name, text in {"__init__.py": "", **texts}.items():
            path = tmp_path / PACKAGE / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        (tmp_path / "agents").mkdir()
        return tmp_path

    return build


def test_a_name_is_found_where_it_is_defined_however_often_it_is_handed_on(house: House) -> None:
    root = house(
        {
            "low/__init__.py": "from .deep import thing as known\n\n__all__ = ['known']\n",
            "low/deep.py": f"from {PACKAGE}.ground import thing\n",
            "ground.py": 'def thing():\n    """Do it."""\n',
        }
    )
    made = source.definition(f"{PACKAGE}.low", "known", root)
    assert (made.module, made.name, made.docstring) == (f"{PACKAGE}.ground", "thing", "Do it.")


def test_a_name_from_nowhere_is_an_error(house: House) -> None:
    root = house({"a.py": "from elsewhere import thing\n"})
    with pytest.raises(source.UndefinedNameError, match="thing comes from elsewhere"):
        source.definition(f"{PACKAGE}.a", "thing", root)
    with pytest.raises(source.UndefinedNameError, match="has no other"):
        source.definition(f"{PACKAGE}.a", "other", root)


def test_the_last_of_several_definitions_counts_as_in_python(house: House) -> None:
    root = house({"a.py": 'def f(): ...\ndef f(x):\n    """The one."""\n'})
    assert source.definition(f"{PACKAGE}.a", "f", root).docstring == "The one."


def test_each_name_is_at_home_in_one_room(house: House) -> None:
    root = house(
        {
            "__init__.py": f"from {PACKAGE}.low import a\n\n__all__ = ['a']\n",
            "low/__init__.py": "from .x import a, b\n\n__all__ = ['a', 'b']\n",
            "low/x.py": "def a(): ...\ndef b(): ...\n",
        }
    )
    found = {room: [each.name for each in made] for room, made in source.homes(root).items()}
    assert found == {PACKAGE: ["a"], f"{PACKAGE}.low": ["b"]}


@pytest.mark.parametrize(
    ("text", "silent"),
    [
        ('def a():\n    """Said."""\n', []),
        ("def a(): ...\n", ["a"]),
        ("a = 1\n", ["a"]),
        ('a = 1\n"""Said."""\n', []),
        ('a: int = 1\n"""Said."""\n', []),
        ('class a:\n    """Said."""\n\n    def f(self): ...\n', ["a.f"]),
        ('class a:\n    """Said."""\n\n    def _f(self): ...\n', []),
    ],
)
def test_what_nobody_explains_is_found(house: House, text: str, silent: list[str]) -> None:
    root = house({"low/__init__.py": f"{text}\n\n__all__ = ['a']\n"})
    assert source.undocumented(root) == [f"{PACKAGE}.low.{name}" for name in silent]


def test_the_package_has_none_of_these() -> None:
    assert source.undocumented() == []
    assert sum(map(len, source.homes().values())) > 150


def called(name: str, room: str = PACKAGE) -> str:
    return signature(source.definition(room, name))


def test_the_options_of_users_are_written_out() -> None:
    found = called("evaluate")
    assert "n_arms: int=5" in found
    assert "behaviour: Behaviour=EXPLORATIVE" in found
    assert "**" not in found
    assert found.endswith("-> Results")
    assert "n_arms: int=20" in called("tune_n1", f"{PACKAGE}.studies.tuning")


def test_records_are_called_with_their_fields() -> None:
    assert called("Instance") == "(means: tuple[float, ...], best_arm: int)"
    assert "schedule" not in called("Population")  # it follows from the others


def test_annotations_lose_their_quotes_and_words_keep_them() -> None:
    assert "'" not in called("exercises_of", f"{PACKAGE}.course")
    assert "Literal['paper', 'proof']" in called("BAIR", f"{PACKAGE}.agents")


def test_a_method_is_called_without_its_instance() -> None:
    members = {each.name: each for each in source.members_of(source.definition(PACKAGE, "Agent"))}
    node = members["observe"].node
    assert of_method(node) == "(arm: int, accepted: bool) -> None"  # type: ignore[arg-type]


def test_short_values_are_shown() -> None:
    assert value(source.definition(PACKAGE, "ENV_ID")) == "'ExplorativeUser-v0'"
    assert value(source.definition(PACKAGE, "PRINTED")) == ""


def test_a_field_that_is_only_told_apart_by_has_no_default(house: House) -> None:
    text = 'class Told:\n    """Said."""\n\n    a: int = field(compare=False)\n'
    text += "    b: int = field(default=3)\n    c: list = field(default_factory=list)\n"
    root = house(
        {"low/__init__.py": f"from dataclasses import dataclass, field\n\n\n@dataclass\n{text}"}
    )
    found = signature(source.definition(f"{PACKAGE}.low", "Told", root))
    assert "a: int, b: int = 3, c: list = list()" in found
