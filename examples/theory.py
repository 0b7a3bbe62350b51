"""Evaluate the paper's bounds for BAIR, and count how often runs break each of them."""

import explorative_user_env as eu
from explorative_user_env import theory
from explorative_user_env.agents import BAIR
from explorative_user_env.evaluation.monitors import broken_table

N_ARMS = 5
DELTA = 0.1
N_INSTANCES = 200


def main() -> None:
    """Print the bounds of one instance, then how often the runs of 200 users break each bound."""
    instance = eu.Instance(means=(1.0, 0.5, 0.2, 0.0, -0.5), best_arm=0)
    bound = theory.upper_bound(instance, DELTA)
    printed = theory.printed_upper_bound(instance, DELTA)
    print(f"K = {N_ARMS}, delta = {DELTA}, means {instance.means}\n")
    print(f"{'':36}{'derived':>10}{'printed':>10}")
    for name in (*bound._fields, "total"):
        print(f"{name:36}{getattr(bound, name):10.0f}{getattr(printed, name):10.0f}")
    error = theory.phase2_error_bound(printed.phase1_acceptances, N_ARMS)
    print(f"{'probability of a wrong answer':36}{error:10.2f}{error:10.2f}")
    least = theory.lower_bound(DELTA, instance.gap, c=0.1)
    print(f"{'acceptances any algorithm needs':36}{least:10.0f}")
    observed = theory.general_lower_bound(instance, DELTA)
    print(f"{'rewards needed if observed':36}{observed:10.0f}\n")

    results = eu.evaluate(
        [BAIR()], n_arms=N_ARMS, delta=DELTA, n_instances=N_INSTANCES, check_theory=True
    )
    for row in broken_table(results.checks).to_dict("records"):
        share = f"{row['share']:.3f} [{row['low']:.3f}, {row['high']:.3f}]"
        verdict = "holds" if row["holds"] else "BROKEN" if row["put_to_test"] else "untested"
        print(f"{row['source']:36}broken {share}, allowed {row['allowed']:g}: {verdict}", end="")
        print(f" ({row['put_to_test']} of {row['n_runs']} runs)")


if __name__ == "__main__":
    main()
