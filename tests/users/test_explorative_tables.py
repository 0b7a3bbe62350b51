"""A user's tables of logarithms and roots: of whatever length, her life is the same to the bit."""

from collections.abc import Callable

import pytest
from lives import LENGTHS, N_ARMS, drawn, equal, life
from one_user import Play, at_random, best_pair, in_turn, until_rejected
from pairs import pairs

from explorative_user_env.users.model import number_tables
from explorative_user_env.users.population import Setting


@pairs(
    rho=[None, 1.0], play=[at_random, best_pair, until_rejected, in_turn], means_of=[drawn, equal]
)
def test_tables_of_any_length_give_the_same_life(
    setting: Setting, means_of: Callable[[int], list[float]], play: Play, rho: float | None
) -> None:
    for n_arms in N_ARMS:
        one, *others = (
            life(setting, means_of(n_arms), play, 600, rho, tables=number_tables(length)._asdict())
            for length in LENGTHS
        )
        assert others == [one] * (len(LENGTHS) - 1)


@pytest.mark.parametrize("play", [best_pair, until_rejected])
def test_a_life_goes_on_beyond_the_end_of_its_tables(setting: Setting, play: Play) -> None:
    computed, *looked_up = (
        life(setting, [1.0, 0.5], play, 20_000, tables=number_tables(length)._asdict())
        for length in (0, 8192, 2**16)
    )
    assert max(computed.left["counts"]) > 8192
    assert looked_up == [computed] * 2


def test_what_is_in_the_tables_is_what_is_used(setting: Setting) -> None:
    # Otherwise the tests above would compare lives that look nothing up.
    right = life(setting, [1.0, 0.5], in_turn, 600)
    for name, values in number_tables(8192)._asdict().items():
        wrong = {name: [1.5 * value for value in values]}
        assert life(setting, [1.0, 0.5], in_turn, 600, tables=wrong) != right
