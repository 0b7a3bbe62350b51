"""The command `explorative-user check`."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from explorative_user_env.commands.options import SeedOption
from explorative_user_env.validation import InvalidArgumentError

if TYPE_CHECKING:
    from explorative_user_env.check import NamedCheck, Subject


def check(
    target: Annotated[
        str,
        typer.Argument(
            help="module:name in your code (an agent, environment, Behaviour, Schedule, RewardLaw "
            "or Algorithm, or a class or function that makes one); an agent of bench, as bair; "
            "sb3:DIR, a trained model; or an environment's id."
        ),
    ],
    expect: Annotated[
        list[str] | None,
        typer.Option(
            help="NAME=REASON: this check is known to fail, and why. Repeat for more.",
            show_default="none",
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(help="NAME: run this check alone. Repeat for more.", show_default="all"),
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option(
            help="agent, environment, vector environment, algorithm, behaviour, schedule or "
            "reward law, where it is not to be told from the target.",
            show_default="the target's",
        ),
    ] = None,
    seed: SeedOption = 0,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say what each check asks; by default they are run.")
    ] = False,
) -> None:
    """Check that an agent, environment or user keeps what this package relies on.

    As in: explorative-user check my_module:MyAgent, in the folder of my_module.

    The exit code is 0 if no check fails, or only those that are expected to.
    """
    from explorative_user_env.check.checks import run_checks
    from explorative_user_env.commands.output import say, show
    from explorative_user_env.display.progress import progress_bar

    reasons = dict(map(_reason, expect or []))
    asked = _asked(_subjects(target, kind, seed), only or [], reasons)
    failed = False
    for subject, checks in asked:
        if explain:
            show(f"{subject.name} ({subject.kind})")
            say(*(f"{each.name}: {each.asks}" for each in checks))
            continue
        with progress_bar() as told:
            report = run_checks(subject, checks, reasons, told)
        show(report.table())
        say(report.in_short())
        failed = failed or not report.passed
    if failed:
        raise typer.Exit(1)


def _reason(expected: str) -> tuple[str, str]:
    """Return the name of a check that is known to fail, and why."""
    name, given, reason = expected.partition("=")
    if not (name and given and reason):
        raise InvalidArgumentError("expect", expected, "NAME=REASON, as meets_many_arms=too_slow")
    return name, reason


def _subjects(target: str, kind: str | None, seed: int) -> "list[Subject]":
    """Return what is to be checked of a target.

    Raises:
        InvalidArgumentError: for a target that is nothing.
    """
    from explorative_user_env.check.catalogue import subjects_of
    from explorative_user_env.seeding import seed_number

    thing = _thing(target)
    try:
        found = subjects_of(thing, kind, seed_number(seed))
    except InvalidArgumentError as error:
        if error.name != "subject":
            raise
        allowed = str(error).removeprefix("subject must be ").rpartition(", got ")[0]
        raise InvalidArgumentError("target", target, allowed) from error
    if not found:
        raise InvalidArgumentError("kind", kind, f"another one, as {target} is none")
    return found


def _thing(target: str) -> Any:
    """Return what a target names: an id as it is, anything else itself."""
    import gymnasium as gym

    from explorative_user_env.commands.agent_names import MODEL_PREFIX, TUNED_PREFIX, agents_called
    from explorative_user_env.commands.own_agents import found_at

    if target in gym.registry:
        return target
    if ":" not in target or target.startswith((MODEL_PREFIX, TUNED_PREFIX)):
        try:
            return agents_called([target], None)[-1]
        except InvalidArgumentError as error:
            if ":" in target:
                raise
            names = str(error).removeprefix("agent must be ").rpartition(", got ")[0]
            allowed = f"module:name, sb3:DIR, an environment's id or {names}"
            raise InvalidArgumentError("target", target, allowed) from error
    try:
        return found_at(target)
    except Exception as error:  # whatever is wrong in someone's own code
        if (name := target.rpartition(":")[2]) in gym.registry:  # by now, as its module says so
            return name
        allowed = f"module:name that can be imported ({type(error).__name__}: {error})"
        raise InvalidArgumentError("target", target, allowed) from error


def _asked(
    subjects: "list[Subject]", only: list[str], reasons: dict[str, str]
) -> "list[tuple[Subject, list[NamedCheck]]]":
    """Return the checks of each subject: all, or those that were named."""
    from explorative_user_env.check.catalogue import checks_of
    from explorative_user_env.check.checks import known_names

    every = [check for subject in subjects for check in checks_of(subject.kind)]
    known_names("only", only, every)
    known_names("expect", reasons, every)
    chosen = []
    for subject in subjects:
        checks = [each for each in checks_of(subject.kind) if not only or each.name in only]
        if checks:
            chosen.append((subject, checks))
    return chosen
