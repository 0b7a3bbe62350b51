"""SE, successive elimination: BAIR without Phase 1, to see what Phase 1 is good for.

Even-Dar, Mannor and Mansour 2006, "Action elimination and stopping conditions for the multi-armed
bandit and reinforcement learning problems", drop an arm when its confidence interval falls below
another's; here the user's rejection says so. The rule is BAIR's record with N_1 = 0.
"""

from typing import Literal

from .adapter import AlgorithmAgent
from .bair import ALGORITHM


def SuccessiveElimination(  # noqa: N802 - the algorithm's name
    *,
    delta: float | None = None,
    m: int | Literal["paper", "released"] | None = None,
    rejections: Literal["all", "consecutive"] | None = None,
    noise: float | None = None,
    first_sweep: Literal["full", "skipping"] | None = None,
    phase2: Literal["fewest acceptances", "round robin"] | None = None,
    max_steps: int | None = None,
    name: str = "SE",
) -> AlgorithmAgent:
    """Return BAIR's Phase 2 alone, `BAIR(n1=0)` by another name: a rejected arm is dropped.

    One pass over the arms comes first, in which none is dropped: N_1 is looked at after it. Without
    the acceptances of Phase 1 nothing bounds the probability of a wrong answer; delta is for m
    only. An option left at None is filled in by `evaluate`, as BAIR's are; the values named
    below hold outside of one.

    Args:
        delta: in (0, 1), for the named m of a user with click noise; 0.1.
        m: rejections that eliminate an arm, at least 1; "paper" or "released" as in `BAIR`;
            "paper".
        rejections: whether m counts "all" of an arm's rejections or "consecutive" ones; "all".
        noise: the user's click noise, in [0, 1]; only whether it is 0 matters; 0.
        first_sweep: whether the first pass is "full" or "skipping" the arm after a rejected one;
            "full".
        phase2: recommend the arm left with the "fewest acceptances", or go "round robin"; the
            former.
        max_steps: step cap; a run that reaches it is censored and answers its best guess.
        name: what tables and the random stream call the agent.

    Raises:
        InvalidArgumentError: naming the option that is out of range.
    """
    options = {
        "n1": 0,
        "delta": delta,
        "m": m,
        "rejections": rejections,
        "noise": noise,
        "first_sweep": first_sweep,
        "phase2": phase2,
    }
    return AlgorithmAgent(ALGORITHM, options, name, max_steps)
