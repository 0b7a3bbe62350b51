import pytest

from explorative_user_env.old_names import renamed


def test_an_old_name_of_an_argument_works_and_tells_the_new_one_in_a_line() -> None:
    @renamed(old="new")
    def double(new: int, other: int = 0) -> int:
        return 2 * new + other

    assert double(3) == double(new=3) == 6
    with pytest.warns(DeprecationWarning, match="^old is called new now$"):
        assert double(old=4, other=1) == 9  # type: ignore[call-arg]
