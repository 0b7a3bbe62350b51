import json
import math
from functools import partial

import numpy as np
import pytest
from other_users import low_means
from own_laws import laplace_reward
from processes import python

from explorative_user_env import Population, RewardLaw, Schedule
from explorative_user_env.agents import AGENTS, BAIR, TrackAndStop
from explorative_user_env.agents.shared_phase1 import after_phase1
from explorative_user_env.results import records
from explorative_user_env.results.records import UnknownCodeError, digest, from_record, record_of
from explorative_user_env.users.instances import LAWS
from explorative_user_env.users.model import REWARD_LAWS, constant

POPULATIONS = [
    {"setting": "released", "n_arms": 20, "alpha": 0.8, "gap": 0.2, "noise": 0.1},
    {"behaviour": "forgetful", "reward_law": "bernoulli", "rho": 1.5},
    {"behaviour": "drifting", "means": [0.1, 1 / 3, 2.0], "n_arms": 3},
    {"behaviour": "logistic", "means": "uniform", "rho": "smoothed_acceptance_rate"},
    {"behaviour": "omniscient", "reward_law": "bounded", "rho": constant(1.25)},
]


def through_json(value):
    return json.loads(json.dumps(record_of(value), allow_nan=False))


def test_what_a_function_holds_counts():
    composed = [after_phase1(agent, n1=5) for agent in (BAIR(), TrackAndStop())]
    assert digest(record_of(composed[0])) != digest(record_of(composed[1]))

    def scaled(factor):
        return lambda mean, rng: factor * mean

    laws = [RewardLaw("mine", scaled(factor)) for factor in (1.0, 2.0)]
    assert record_of(laws[0]) != record_of(laws[1])
    assert record_of(laws[0]) == record_of(RewardLaw("mine", scaled(1.0)))
    parts = [partial(laplace_reward, rng=number) for number in (1, 2)]
    assert record_of(parts[0]) != record_of(parts[1])


def test_own_code_is_only_made_again_by_who_hands_it_in():
    schedule = Schedule(lambda numbers, n, t, n_arms: 1.0, 1.0, 1.0)
    options = {"means": low_means, "reward_law": laplace_reward, "rho": schedule}
    for name, own in options.items():
        users = Population(**{name: own})
        record = through_json(users)
        with pytest.raises(UnknownCodeError):
            from_record(record)
        assert from_record(record, [own, users.reward_law]) == users


@pytest.mark.slow
def test_another_process_has_the_same_records():
    code = (
        "from explorative_user_env import Population\n"
        "from explorative_user_env.agents import BAIR, TrackAndStop\n"
        "from explorative_user_env.agents.shared_phase1 import after_phase1\n"
        "from explorative_user_env.results.records import digest, record_of, package_digest\n"
        "agents = BAIR(), after_phase1(TrackAndStop(), n1=5)\n"
        "made = digest(record_of([Population(behaviour='forgetful'), *agents])), package_digest()\n"
    )
    here = {}
    exec(code, here)
    other = python("-c", code + "print(*made)")
    assert other.stdout.split() == [*here["made"]], other.stderr


def test_the_digest_of_the_code_knows_the_agents(monkeypatch, tmp_path):
    (tmp_path / "agents").mkdir()
    monkeypatch.setattr("inspect.getfile", lambda module: str(tmp_path / "__init__.py"))
    digests = set()
    for code in ("a = 1\n", "a = 2\n"):
        (tmp_path / "agents" / "bair.py").write_text(code)
        digests.add(records.package_digest.__wrapped__())
    assert len(digests) == 2


def test_other_seeds_streams_or_laws_have_another_fingerprint(monkeypatch, subtests):
    usual, published = list(records._first_draws()), "bcabb15af166dc63"
    assert records.stream_fingerprint() == published
    for name in ("user_seeds", "user", "agent", *LAWS, *REWARD_LAWS, "beta", "integers"):
        moved = [(of, value * (1 + 1e-6) + 1e-6 if of == name else value) for of, value in usual]
        with subtests.test(name), monkeypatch.context() as patch:
            patch.setattr(records, "_first_draws", lambda: iter(moved))  # noqa: B023
            assert records.stream_fingerprint.__wrapped__() != published
    whole = ("user_seeds", "integers")
    last_bits = [(of, value if of in whole else value * (1 + 2**-52)) for of, value in usual]
    monkeypatch.setattr(records, "_first_draws", lambda: iter(last_bits))  # of another processor
    assert records.stream_fingerprint.__wrapped__() == published


def test_a_record_reaches_no_other_function_and_makes_no_other_object():
    module, users = "explorative_user_env.results.records", "explorative_user_env.users.behaviours"
    functions = ["os:system", f"{module}:digest", "", f"{users}:Behaviour.blank", f"{users}:x"]
    kinds = ["Store", "explorative_user_env.results.store:Store", "array", "partial"]
    for kind, names in ((records.FUNCTION, functions), (records.KIND, kinds)):
        for name in names:
            with pytest.raises(UnknownCodeError):
                from_record({kind: name})


def test_numbers_and_words_come_back_to_the_bit():
    for value in (math.inf, -math.inf, 0.1, 5e-324, 2**70, True, None, "a"):
        assert from_record(through_json(value)) == value
        assert type(from_record(through_json(value))) is type(value)
    assert through_json([np.int64(3), np.float64(0.1), np.bool_(True)]) == [3, 0.1, True]


def test_users_and_agents_are_made_again_from_their_records():
    for options in POPULATIONS:
        users = Population(**options)
        assert from_record(through_json(users)) == users
    for agent in AGENTS.values():
        made = agent(delta=0.03) if "delta" in agent().options else agent()
        again = from_record(through_json(made))
        for what in ("options", "max_steps", "name", "algorithm"):
            assert getattr(again, what) == getattr(made, what)
