from explorative_user_env.compiled.generators import N_STREAMS, streams
from explorative_user_env.compiled.intrinsics import addresses_of


def test_nobody_shares_a_generator_and_none_is_lost() -> None:
    with streams() as one, streams() as other:
        assert {id(rng) for rng in one.rngs}.isdisjoint(id(rng) for rng in other.rngs)
        assert len(one.rngs) == len(other.rngs) == N_STREAMS
    with streams() as again:
        assert again is one


def test_the_addresses_are_those_of_the_generators() -> None:
    with streams() as lent:
        for rng, state in zip(lent.rngs, lent.states.tolist(), strict=True):
            assert (state, *lent.draws) == addresses_of(rng)
