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
    users = trials.Trials(hard, delta=0.2, max_steps=2000, workers=1, seed=0)
    seen = [users.successes(0, *place, 100).tolist() for place in [(0, 0), (0, 1), (1, 0), (0, 0)]]
    assert seen[0] == seen[3]
    assert seen[0] != seen[1] != seen[2] != seen[0]
    seed = tuning_seed(0, 0, 1, 0)
    options: dict[str, Any] = {"population": hard, "delta": 0.2, "max_steps": 2000}
    runs = evaluate([TunedAgent(0)], seed=seed, n_instances=100, **options).runs
    assert seen[2] == list(runs["correct"] & ~runs["censored"])


def test_the_frontier_is_one_evaluation_of_bair_with_each_n1() -> None:
    users = Population(n_arms=3, gap=0.4, setting=RELEASED)
    some = trials.Trials(users, delta=0.2, max_steps=900, workers=1, seed=9)
    found = some.frontier([0, 9], silent)
    options: dict[str, Any] = {"population": users, "n_instances": 40, "max_steps": 900}
    agents = [BAIR(n1=n1, delta=0.2, name=f"with {n1}") for n1 in (0, 9)]
    summary = evaluate(agents, seed=tuning_seed(9, 1), **options).summary()
    assert found["n1"].tolist() == [0, 9]
    for name in trials.FIGURES:
        assert found[name].tolist() == summary[name].tolist(), name
    assert found["censored"].between(0.01, 0.99).all()  # the cap cuts some off


def test_the_confirmation_is_on_users_who_took_no_part_in_the_search() -> None:
    users = Population(n_arms=3, gap=0.4, setting=RELEASED)
    some = trials.Trials(users, delta=0.2, max_steps=900, workers=1, seed=9)
    (row,) = some.confirmation(4, 30, silent).to_dict("records")
    options: dict[str, Any] = {"population": users, "n_instances": 30, "max_steps": 900}
    (own,) = (
        evaluate([BAIR(n1=4, delta=0.2)], seed=tuning_seed(9, 2), **options)
        .summary()
        .to_dict("records")
    )
    assert row["agent"] == "BAIR-tuned"
    for name in ("seed", "stopping_time", "success", "n_runs"):
        assert row[name] == own[name], name
