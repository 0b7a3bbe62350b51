from typing import Any

from explorative_user_env import evaluate
from explorative_user_env.agents import BAIR
from explorative_user_env.display.progress import silent
from explorative_user_env.seeding import tuning_seed, user_seeds
from explorative_user_env.studies import tuning as trials
from explorative_user_env.studies.tuning import TunedAgent
from explorative_user_env.users.population import RELEASED, Population


def test_no_part_of_a_tuning_shares_users_with_another_or_with_a_study() -> None:
    places = [
        (),
        (1,),
        (2,),
        *((0, candidate, portion) for candidate in (0, 1) for portion in (0, 1)),
    ]
    studies = [0, *(tuning_seed(0, *place) for place in places)]
    users = [user for study in studies for user in user_seeds(study, 50)]
    assert len(set(users)) == 50 * len(studies)


def test_every_candidate_and_portion_meets_users_of_its_own() -> None:
    hard = Population(n_arms=3, gap=0.02, setting=RELEASED)  # so that it fails now and then
    how = {"population": hard, "delta": 0.2, "max_steps": 2000, "seed": 0}
    places = [(0, 0), (0, 1), (1, 0), (0, 0)]
    seen = [trials.successes(how, 0, *place, 100).tolist() for place in places]
    assert seen[0] == seen[3]
    assert seen[0] != seen[1] != seen[2] != seen[0]
    seed = tuning_seed(0, 0, 1, 0)
    options: dict[str, Any] = {"population": hard, "delta": 0.2, "max_steps": 2000}
    runs = evaluate([TunedAgent(0)], seed=seed, n_instances=100, **options).runs
    assert seen[2] == list(runs["correct"] & ~runs["censored"])


def test_the_frontier_is_one_evaluation_of_bair_with_each_n1() -> None:
    users = Population(n_arms=3, gap=0.4, setting=RELEASED)
    how = {"population": users, "delta": 0.2, "max_steps": 900, "seed": 9}
    found = trials.frontier_of([0, 9], how, silent)
    options: dict[str, Any] = {"population": users, "n_instances": 40, "max_steps": 900}
    agents = [BAIR(n1=n1, delta=0.2, name=f"with {n1}") for n1 in (0, 9)]
    summary = evaluate(agents, seed=tuning_seed(9, 1), **options).summary()
    assert found["n1"].tolist() == [0, 9]
    for name in trials.FIGURES:
        assert found[name].tolist() == summary[name].tolist(), name
    assert found["censored"].between(0.01, 0.99).all()  # the cap cuts some off
