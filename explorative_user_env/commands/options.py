"""What commands share: how their options are made, explained and grouped.

An option is an argument of the function of the package that the command calls: `command` takes its
type and default from the signature, and its help from the `Args:` of the docstring.
"""

import functools
import inspect
import os
import re
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin

import typer

from explorative_user_env.protocol import MOST_WORKERS, N_INSTANCES
from explorative_user_env.users.population import OPTIONS
from explorative_user_env.validation import InvalidArgumentError, count

QUICK_N_INSTANCES = 100
"""Users a cell with --quick."""

MORE = "repeat for more"
AGENTS = (
    "bair, tas, uni, exp3, se, se-transfer, ucb1, thompson, full-information, sb3:DIR, "
    f"bair-tuned:DIR or module:Class; {MORE}."
)

TEXTS = {
    "agent": AGENTS,
    "dask": "Address of a dask scheduler whose workers do the runs, as tcp://host:8786. "
    "None is this machine.",
    "delta": "Allowed probability of a wrong answer, in (0, 1).",
    "n_instances": f"Users a cell, at least 1. None is {N_INSTANCES}, or {QUICK_N_INSTANCES} with "
    "--quick.",
    "output": "Folder for files and runs, or X.sqlite for the runs and X for the files.",
    "overwrite": "Write over the files of another run.",
    "quick": f"{QUICK_N_INSTANCES} users a cell; by default {N_INSTANCES}.",
    "resume": "File of a run that was interrupted: continue it, by its options. None is no run.",
    "seed": "Seed of everything, at least 0.",
    "workers": "Runs at once; the results do not depend on it. None is cores.",
}
"""Help of options that no function of the package explains, in the form of `Args:`."""

PANELS = {
    "Users": [option.name for option in OPTIONS],
    "Runs": ["n_instances", "until_width", "quick", "seed", "workers", "dask"],
    "Files": ["output", "resume", "overwrite"],
}
"""The groups of options in help, below the first five; the rest is in the group "More"."""

FEW = 8
"""So many options need no groups."""

KEYWORD = inspect.Parameter.KEYWORD_ONLY
SHARED = [
    inspect.Parameter("workers", KEYWORD, default=0, annotation=int),
    inspect.Parameter("dask", KEYWORD, default=None, annotation=str | None),
]
KEPT = [
    inspect.Parameter("output", KEYWORD, default=None, annotation=Path | None),
    inspect.Parameter("resume", KEYWORD, default=None, annotation=Path | None),
    inspect.Parameter("overwrite", KEYWORD, default=False, annotation=bool),
]

_ARGUMENT = re.compile(r"^ {4}(\w+): (.*(?:\n {6,}.*)*)", flags=re.MULTILINE)
_IF_NONE = re.compile(r"[;,.]? None (?:is|means) (.*?)(?=\.?$|\. \S)")


def command(
    name: str,
    *calls: Any,
    options: str = "",
    first: str = "",
    users: Mapping[str, Any] | None = None,
    only: Collection[str] | None = None,
    keeps: str | None = None,
    parallel: bool = False,
    texts: Mapping[str, str] | None = None,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a command of a function; the arguments that it declares are options as well.

    Args:
        name: the words that call it, as "paper tables".
        calls: the functions or classes of the package of which `options` are arguments.
        options: the names of options, given to the function as its argument `options`.
        first: the options that help shows first.
        users: gives the command the options of `Population`, as its argument `users`; the values
            are defaults that are others here. None is a command without users.
        only: which options of `Population`; None is all that the function does not declare.
        keeps: gives the command `--output`, `--resume` and `--overwrite`, by its argument `run`;
            the default folder. None is a command that keeps nothing.
        parallel: gives the command `--workers` and `--dask`, as its argument `workers`, with which
            it calls `evaluate`.
        texts: by option, words in place of those of `calls`, in the same form.
    """

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        declared = inspect.signature(function, eval_str=True).parameters
        made = ("run", "users", "options", "workers")
        own = {key: each for key, each in declared.items() if key not in made}
        called = {each: _argument_of(calls, each) for each in options.split()}
        of_users = {
            option.name: _of_population(option, users or {})
            for option in OPTIONS
            if users is not None
            and option.name not in own
            and (only is None or option.name in only)
        }
        added = SHARED * parallel + KEPT * (keeps is not None)
        kept = {each.name: each for each in added}
        about = {option.name: option.metadata["about"] for option in OPTIONS}
        about |= {key: text for key, text in TEXTS.items() if key in (*own, *kept)}
        for call in calls:
            about |= {key: text for key, text in _arguments(call).items() if key in called}
        about |= {} if keeps is None else {"output": f"{TEXTS['output']} None is {keeps}."}
        about |= texts or {}
        every = own | called | of_users | kept
        panels = _panels(every, first.split())
        shown = [_as_option(every[each], about.get(each, ""), panels[each]) for each in panels]

        @functools.wraps(function)
        def run_command(*, context: typer.Context, **given: Any) -> None:
            chosen = {each: given.pop(each) for each in of_users}
            keeping = {each: given.pop(each) for each in kept}
            if keeps is not None:
                from explorative_user_env.commands import run  # which imports much

                written = {each for each in given | chosen if _is_written(context, each)}
                if keeping["resume"] is not None:
                    run.continue_with(keeping["resume"], name, given, written)
                    run.continue_with(keeping["resume"], name, chosen, written)
                asked = {
                    each: str(value) if isinstance(value, Path) else value
                    for each, value in (given | chosen).items()
                }
                places = [keeping[each.name] for each in KEPT]
                given["run"] = run.Run(name, Path(keeps), asked, written, *places)
            if parallel:
                given["workers"] = _workers_of(keeping["workers"], keeping["dask"], context)
            if users is not None:
                given["users"] = chosen
            if called:
                given["options"] = {each: given.pop(each) for each in called}
            function(**given)

        shown.append(inspect.Parameter("context", KEYWORD, annotation=typer.Context))
        run_command.called_by = name  # type: ignore[attr-defined]
        run_command.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
        return run_command

    return decorate


def _arguments(call: Any) -> dict[str, str]:
    """Return what the docstring of a function or class says of each argument or attribute."""
    found = {}
    for name, text in _ARGUMENT.findall(inspect.getdoc(call) or ""):
        words = " ".join(text.split()).replace("`", "").replace('"', "")
        found[name] = words[:1].upper() + words[1:]
    return found


def _argument_of(calls: Collection[Any], name: str) -> inspect.Parameter:
    """Return an argument of one of some functions as a parameter of a command."""
    for call in calls:
        if found := inspect.signature(call).parameters.get(name):
            break
    else:
        raise LookupError(f"no argument {name} in {calls}")
    default = getattr(found.default, "name", found.default)  # a record has a name here
    kinds = get_args(found.annotation) or (found.annotation,)
    kind: Any = next((each for each in (Path, bool, int, float) if each in kinds), str)
    if kind is int and str in kinds:
        details: Any = typer.Option(parser=_number_or_name, metavar="<int or agent>")
        return found.replace(kind=KEYWORD, default=default, annotation=Annotated[Any, details])
    annotation = kind if default is not None else kind | None
    return found.replace(kind=KEYWORD, default=default, annotation=annotation)


def _number_or_name(text: str) -> int | str:
    try:
        return int(text)
    except ValueError:
        return text


def _of_population(option: Any, users: Mapping[str, Any]) -> inspect.Parameter:
    """Return an option of `Population` as a parameter of a command."""
    default = users.get(option.name, option.default)
    default = getattr(default, "name", default)  # a record has a name on the command line
    annotation, details = option.metadata["kind"], {}
    if default is None:
        details["show_default"] = option.metadata["if_open"]
    if not isinstance(annotation, type):
        annotation, details = str, details | {"parser": annotation, "metavar": "<str>"}
    annotation = Annotated[annotation, typer.Option(**details)]
    return inspect.Parameter(option.name, KEYWORD, default=default, annotation=annotation)


def _panels(every: Collection[str], first: Collection[str]) -> dict[str, str | None]:
    """Return the group of each option, in the order in which help shows them; None is no group."""
    if len(every) <= FEW:
        return dict.fromkeys(every)
    groups = {name: panel for panel, names in PANELS.items() for name in names}
    panels: dict[str, str | None] = dict.fromkeys(first)
    panels |= {name: groups.get(name, "More") for name in every if name not in first}
    order = [None, "More", *PANELS]
    return dict(sorted(panels.items(), key=lambda each: order.index(each[1])))


def _as_option(parameter: inspect.Parameter, about: str, panel: str | None) -> inspect.Parameter:
    """Return a parameter with the annotation of which Typer makes its option."""
    annotation, details = parameter.annotation, None
    if get_origin(annotation) is Annotated:
        annotation, details = get_args(annotation)
    if not isinstance(details, typer.models.ArgumentInfo):
        spelled = f"--{parameter.name.replace('_', '-')}"
        details = details or typer.Option()
        if details.default is ...:  # no spelling was declared
            others = {"--output", "--out"} - {spelled}
            details.param_decls = (spelled, *others) if len(others) == 1 else (spelled,)
        usual = "; ".join(_IF_NONE.findall(about))
        details.help = details.help or _IF_NONE.sub("", about).removesuffix(".") + "."
        details.rich_help_panel = panel
        if annotation is bool:
            details.metavar, details.show_default = "", False
        elif details.show_default is True and (usual or parameter.default is None):
            details.show_default = usual or "none"
    annotation = Annotated[annotation, details]
    return parameter.replace(kind=KEYWORD, annotation=annotation)


def _is_written(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"


def users_a_cell(n_instances: int | None, quick: bool) -> int:
    """Return how many users a cell has."""
    usual = QUICK_N_INSTANCES if quick else N_INSTANCES
    return usual if n_instances is None else n_instances


def _workers_of(workers: int, dask: str | None, context: typer.Context) -> dict[str, Any]:
    """Return who does the runs, as arguments of `evaluate`; a cluster is open for the command.

    Raises:
        InvalidArgumentError: for workers beside a cluster, or a cluster that does not answer.
    """
    asked = count("workers", workers, 0, MOST_WORKERS)
    if dask is None:
        return {"workers": asked or cores()}
    if asked:
        raise InvalidArgumentError("workers", asked, "left out beside dask, which has its own")
    from explorative_user_env.evaluation.workers import dask_executor

    return {"executor": context.with_resource(dask_executor(dask))}


def cores() -> int:
    """Return how many processors this program may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
