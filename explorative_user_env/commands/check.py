"""The command `explorative-user check`."""

from typing import Annotated, Any

import gymnasium as gym
import typer

from explorative_user_env.check import checks_of, subjects_of
from explorative_user_env.check.checks import known_names, run_checks
from explorative_user_env.commands.agents import PREFIXES, agents_called, imported
from explorative_user_env.commands.options import command
from explorative_user_env.commands.run import say, show
from explorative_user_env.display.progress import progress_bar
from explorative_user_env.seeding import seed_number
from explorative_user_env.validation import InvalidArgumentError


@command("check")
def check(
    target: Annotated[str, typer.Argument()],
    expect: list[str] | None = None,
    only: list[str] | None = None,
    kind: str | None = None,
    seed: int = 0,
    explain: bool = False,
) -> None:
    """Check that an agent, environment or user conforms to this package.

    The exit code is 0 if each check passes or is named by --expect.

    Example: explorative-user check my_module:MyAgent (in the folder of my_module)

    Options:
        target: module:name in your code (an agent, environment, Behaviour, Schedule, RewardLaw or
            Algorithm, or a class or function that creates one); an agent of bench, such as bair;
            sb3:DIR with a trained model; or the id of an environment.
        expect: NAME=REASON: this check fails for a known reason; repeat for more.
        only: NAME: run this check alone; repeat for more. None is all.
        kind: Run only the checks of this kind of object: agent, environment, vector environment,
            algorithm, behaviour, schedule or reward law. None is every kind that the target is.
        explain: Explain each check instead of running it.
    """
    reasons = {}
    for expected in expect or []:
        name, _, reasons[name] = expected.partition("=")
        if not (name and reasons[name]):
            raise InvalidArgumentError("expect", expected, "NAME=REASON with the name of a check")
    try:
        subjects = subjects_of(_thing(target), kind, seed_number(seed))
    except InvalidArgumentError as error:
        if error.name != "subject":
            raise
        raise InvalidArgumentError("target", target, error.allowed) from error
    if not subjects:
        raise InvalidArgumentError("kind", kind, f"left out, or a kind of object that {target} is")
    every = [each for subject in subjects for each in checks_of(subject.kind)]
    known_names("only", only or [], every)
    known_names("expect", reasons, every)
    failed = False
    for subject in subjects:
        checks = [each for each in checks_of(subject.kind) if not only or each.name in only]
        if explain and checks:
            show(f"{subject.name} ({subject.kind})")
            say(*(f"{each.name}: {each.asks}" for each in checks))
        elif checks:
            with progress_bar() as progress:
                report = run_checks(subject, checks, reasons, progress)
            show(report.table())
            say(report.in_short())
            failed = failed or not report.passed
    if failed:
        raise typer.Exit(1)


def _thing(target: str) -> Any:
    """Return the object that a target names, or the target if it is the id of an environment."""
    if target in gym.registry:
        return target
    if ":" not in target or target.startswith(PREFIXES):
        try:
            return agents_called([target], None)[-1]
        except InvalidArgumentError as error:
            raise InvalidArgumentError(
                "target", target, f"module:name, sb3:DIR, an environment's id or {error.allowed}"
            ) from error
    try:
        return imported(target)
    except Exception as error:  # code from outside the package may raise anything
        if (name := target.rpartition(":")[2]) in gym.registry:  # the import has registered the id
            return name
        why = f"{type(error).__name__}: {error}"
        raise InvalidArgumentError("target", target, f"a valid module:name ({why})") from error
