"""What commands share: how their options are made, explained and grouped.

An option is an argument of the command's function, or of a function of the package that it calls.
Its type and default are those of the signature. Its help is the text of `Options:` in the command's
docstring, or else of `Args:` in that of the function of the package.
"""

import functools
import inspect
import os
import re
from collections.abc import Callable, Collection, Mapping
from copy import copy
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin

import typer

from explorative_user_env.protocol import MOST_WORKERS, N_INSTANCES
from explorative_user_env.users.population import OPTIONS
from explorative_user_env.validation import InvalidArgumentError, count

#: Users a cell with --quick.
QUICK_N_INSTANCES = 100

#: Help of options that no docstring explains, in the same form.
TEXTS = {
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

#: The groups of options in help, below the first five; the rest is in the group "More".
PANELS = {
    "Users": [option.name for option in OPTIONS],
    "Runs": ["n_instances", "until_width", "quick", "seed", "workers", "dask"],
    "Files": ["output", "resume", "overwrite"],
}

#: So many options need no groups.
FEW = 8


def _parameter(name: str, default: Any, annotation: Any) -> inspect.Parameter:
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
    )


SHARED = [_parameter("workers", 0, int), _parameter("dask", None, str | None)]
KEPT = [
    _parameter("output", None, Path | None),
    _parameter("resume", None, Path | None),
    _parameter("overwrite", False, bool),
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
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a command of a function; the arguments that it declares are options as well.

    `Options:` in the docstring of the function has their help.

    Args:
        name: the words that call it, as "paper tables".
        calls: the functions or classes of the package of which `options` are arguments.
        options: the names of options, given to the function as its argument `options`.
        first: the options that help shows first.
        users: gives the command the options of `Population`, as its argument `users`; the values
            are defaults that are others here. None is a command without users.
        only: which options of `Population`; None is all that the function does not declare.
        keeps: gives the command `--output`, `--resume` and `--overwrite`, and a `Run` as its only
            argument beside those declared; the default folder. None is a command without files.
        parallel: gives the command `--workers` and `--dask`, as its argument `workers`, with which
            it calls `evaluate`.
    """

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        declared = inspect.signature(function, eval_str=True).parameters
        given_whole = ("run", "users", "options", "workers")
        own = {key: each for key, each in declared.items() if key not in given_whole}
        called = {each: _argument_of(calls, each) for each in options.split()}
        of_users = {
            option.name: _of_population(option, users or {})
            for option in OPTIONS
            if users is not None
            and option.name not in own
            and (only is None or option.name in only)
        }
        kept = {each.name: each for each in SHARED * parallel + KEPT * (keeps is not None)}
        about = {option.name: option.metadata["about"] for option in OPTIONS} | TEXTS
        for call in calls:
            about |= {
                key: text[:1].upper() + text[1:]
                for key, text in _arguments(call).items()
                if key in called
            }
        about["output"] += "" if keeps is None else f" None is {keeps}."
        about |= _arguments(function)
        every = own | called | of_users | kept
        panels = _panels(every, first.split())
        shown = [_as_option(every[each], about.get(each, ""), panels[each]) for each in panels]

        @functools.wraps(function)
        def run_command(*, context: typer.Context, **given: Any) -> None:
            keeping = {each: given.pop(each) for each in kept}
            asked = {each: given[each] for each in given if each not in of_users}
            asked |= {each: given[each] for each in of_users}
            written = {each for each in asked if _is_written(context, each)}
            if keeps is not None:
                from explorative_user_env.commands import run  # which imports much

                if keeping["resume"] is not None:
                    run.continue_with(keeping["resume"], name, asked, written)
            whole: dict[str, Any] = {
                "users": {each: asked[each] for each in of_users},
                "options": {each: asked[each] for each in called},
                "workers": _workers_of(keeping["workers"], keeping["dask"], context)
                if parallel
                else {},
            }
            if keeps is None:
                whole = {each: value for each, value in whole.items() if each in declared}
            else:
                places = {each.name: keeping[each.name] for each in KEPT}
                whole = {"run": run.Run(name, Path(keeps), asked, written, **places, **whole)}
            function(**whole, **{each: asked[each] for each in own})

        shown.append(_parameter("context", inspect.Parameter.empty, typer.Context))
        run_command.__doc__ = inspect.getdoc(function).partition("\n\nOptions:")[0]  # type: ignore[union-attr]
        run_command.called_by = name  # type: ignore[attr-defined]
        run_command.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
        return run_command

    return decorate


def _arguments(call: Any) -> dict[str, str]:
    """Return the texts of a docstring on arguments or attributes."""
    texts = dict(_ARGUMENT.findall(inspect.getdoc(call) or ""))
    return {
        name: " ".join(text.split()).replace("`", "").replace('"', "")
        for name, text in texts.items()
    }


def _argument_of(calls: Collection[Any], name: str) -> inspect.Parameter:
    """Return an argument of one of some functions as a parameter of a command."""
    signatures = [inspect.signature(call).parameters for call in calls]
    found = next(each[name] for each in signatures if name in each)
    default = getattr(found.default, "name", found.default)  # a record has a name here
    kinds = get_args(found.annotation) or (found.annotation,)
    kind: Any = next((each for each in (Path, bool, int, float) if each in kinds), str)
    if kind is int and str in kinds:
        kind = Annotated[Any, typer.Option(parser=_number_or_name, metavar="<int or agent>")]
    elif default is None:
        kind = kind | None
    return _parameter(name, default, kind)


def _number_or_name(text: str) -> int | str:
    try:
        return int(text)
    except ValueError:
        return text


def _of_population(option: Any, users: Mapping[str, Any]) -> inspect.Parameter:
    """Return an option of `Population` as a parameter of a command."""
    default = users.get(option.name, option.default)
    annotation, details = option.metadata["kind"], {}
    if default is None:
        details["show_default"] = option.metadata["if_open"]
    if not isinstance(annotation, type):
        annotation, details = str, details | {"parser": annotation, "metavar": "<str>"}
    default = getattr(default, "name", default)  # a record has a name on the command line
    return _parameter(option.name, default, Annotated[annotation, typer.Option(**details)])


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
        details = copy(details)  # several arguments may share it
    if isinstance(details, typer.models.ArgumentInfo):
        details.help = about
    else:
        spelled = f"--{parameter.name.replace('_', '-')}"
        details = details or typer.Option()
        if details.default is ...:  # no spelling was declared
            others = {"--output", "--out"} - {spelled}
            details.param_decls = (spelled, *others) if len(others) == 1 else (spelled,)
        usual = "; ".join(_IF_NONE.findall(about))
        details.help = _IF_NONE.sub("", about).removesuffix(".") + "."
        details.rich_help_panel = panel
        if annotation is bool:
            details.metavar, details.show_default = "", False
        elif details.show_default is True and (usual or parameter.default is None):
            details.show_default = usual or "none"
    return parameter.replace(
        kind=inspect.Parameter.KEYWORD_ONLY, annotation=Annotated[annotation, details]
    )


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
