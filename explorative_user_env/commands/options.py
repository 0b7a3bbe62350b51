"""Make the options of commands from signatures and docstrings.

An option is an argument of the command's function, or of a package function that the command calls.
The signature gives the option's type and default. The help text stands in the docstring of the
command under `Options:`, or in the docstring of the package function under `Args:`.
"""

import ast
import functools
import inspect
import os
import re
from collections.abc import Callable, Collection, Mapping
from copy import copy
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin

import typer

from explorative_user_env.commands import run as runs
from explorative_user_env.protocol import MOST_WORKERS, N_INSTANCES
from explorative_user_env.users.population import OPTIONS
from explorative_user_env.validation import PACKAGE, InvalidArgumentError, count

#: Users of each cell with --quick.
QUICK_N_INSTANCES = 100

#: The groups of options in help. The first five stand above; "More" has the rest.
PANELS = {
    "Users": [option.name for option in OPTIONS],
    "Runs": ["n_instances", "until_width", "quick", "seed", "workers", "dask"],
    "Files": ["output", "resume", "overwrite"],
}

#: Most options that help shows without groups.
FEW = 8


def shared(
    workers: int = 0,
    dask: str | None = None,
    output: Path | None = None,
    resume: Path | None = None,
    overwrite: bool = False,
) -> None:
    """Declare the options that several commands share, with their help.

    Args:
        workers: Number of workers; results do not depend on it. None is all cores.
        dask: Address of a dask scheduler, such as tcp://host:8786, to run on its workers. None is
            this machine.
        output: Folder for all files. If it is X.sqlite, this file stores the runs, and the folder X
            all other files.
        resume: Output folder of a run to continue with its options, or the file run.sqlite of the
            run. None is no file.
        overwrite: Replace the files of another run.
        delta: Allowed probability of a wrong answer, in (0, 1).
        n_instances: Users for each pair of delta and K, at least 1. None is 1000, or 100 with
            --quick.
        quick: Run 100 users for each pair of delta and K; the default is 1000.
        seed: Seed of all users and agents, at least 0.
    """


SHARED = inspect.signature(shared).parameters
_parameter: Any = functools.partial(inspect.Parameter, kind=inspect.Parameter.KEYWORD_ONLY)

_ARGUMENT = re.compile(r"^ {4}(\w+): (.*(?:\n {6,}.*)*)", flags=re.MULTILINE)
_DECLARED = re.compile(r"^ {4}(\w+): (.+) = (.+?),?$", flags=re.MULTILINE)
_IF_NONE = re.compile(r"[;,.]? None (?:is|means) (.*?)(?=\.?$|\. \S)")


def command(
    name: str,
    *calls: str,
    options: str = "",
    first: str = "",
    users: Mapping[str, Any] | None = None,
    only: Collection[str] | None = None,
    keeps: str | None = None,
    parallel: bool = False,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a command from a function; the arguments of the function become options.

    `Options:` in the function's docstring describes these options. An argument `run` gets a `Run`.

    Args:
        name: the name of the command, such as "paper tables".
        calls: functions or record types of the package, such as "studies.tuning.tune_n1".
        options: arguments of `calls` that also become options, separated by spaces.
        first: the options that help shows first.
        users: name -> default. The command also has the options of `Population`, with these
            defaults instead of their own. None adds no options of `Population`.
        only: the options of `Population` to add; None adds all that the function does not declare.
        keeps: the default output folder. If it is not None, the command also has the options
            `--output`, `--resume` and `--overwrite`.
        parallel: whether the command has the options `--workers` and `--dask`.
    """

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        declared = dict(inspect.signature(function).parameters)
        takes_run = declared.pop("run", None) is not None
        about = {option.name: option.metadata["about"] for option in OPTIONS}
        about |= _texts(inspect.getdoc(shared))
        called = {key: _argument_of(calls, key) for key in options.split()}
        texts = {key: text for call in calls for key, text in _declared(call)[1].items()}
        about |= {key: texts[key][:1].upper() + texts[key][1:] for key in called if key in texts}
        of_users = {}
        for option in OPTIONS if users is not None else ():
            if option.name in declared or (only is not None and option.name not in only):
                continue
            default = users.get(option.name, option.default)  # type: ignore[union-attr]
            kind, details = option.metadata["kind"], {}
            if default is None:
                details["show_default"] = option.metadata["if_open"]
            if not isinstance(kind, type):
                kind, details = str, details | {"parser": kind, "metavar": "<str>"}
            of_users[option.name] = _parameter(
                option.name,
                default=getattr(default, "name", default),  # a record's default is its name
                annotation=Annotated[kind, typer.Option(**details)],
            )
        has = {"workers": parallel, "dask": parallel}
        of_runs = {each: SHARED[each] for each in SHARED if has.get(each, keeps is not None)}
        about["output"] += "" if keeps is None else f" None is {keeps}."
        about |= _texts(inspect.getdoc(function))
        every = declared | called | of_users | of_runs
        panels: dict[str, str | None] = dict.fromkeys(every)
        if len(every) > FEW:
            groups = {key: panel for panel, keys in PANELS.items() for key in keys}
            panels = dict.fromkeys(first.split())
            panels |= {key: groups.get(key, "More") for key in every if key not in panels}
            order = [None, "More", *PANELS]
            panels = dict(sorted(panels.items(), key=lambda each: order.index(each[1])))
        shown = [_as_option(every[each], about.get(each, ""), panels[each]) for each in panels]

        @functools.wraps(function)
        def run_command(*, context: typer.Context, **given: Any) -> None:
            running = {each: given.pop(each) for each in of_runs}
            values = {each: given[each] for each in sorted(given, key=of_users.__contains__)}
            sources = {each: context.get_parameter_source(each) for each in values}
            written = {each for each in values if sources[each] and sources[each].name != "DEFAULT"}  # type: ignore[union-attr]
            if running.get("resume") is not None:
                running["resume"] = runs.places_around(running["resume"])[1]
                runs.continue_with(running["resume"], name, values, written)
            workers: dict[str, Any] = {}
            if parallel:
                n, dask = running.pop("workers"), running.pop("dask")
                workers["workers"] = count("workers", n, 0, MOST_WORKERS) or cores()
                if n and dask is not None:
                    raise InvalidArgumentError("--workers", n, "left out if --dask is given")
                if dask is not None:
                    from explorative_user_env.evaluation.workers import dask_executor

                    workers = {"executor": context.with_resource(dask_executor(dask))}
            if takes_run:
                users, options = ({each: values[each] for each in of} for of in (of_users, called))
                run = runs.Run(name, values, written, users, options, workers, keeps, **running)
                function(run, **{each: values[each] for each in declared})
            else:
                function(**values)

        shown.append(_parameter("context", annotation=typer.Context))
        run_command.__doc__ = inspect.getdoc(function).partition("\n\nOptions:")[0]  # type: ignore[union-attr]
        run_command.called_by = name  # type: ignore[attr-defined]
        run_command.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
        return run_command

    return decorate


def _texts(docstring: str | None) -> dict[str, str]:
    """Return the description of each argument or attribute in a docstring."""
    texts = dict(_ARGUMENT.findall(docstring or ""))
    return {key: re.sub(r'[`"]', "", " ".join(text.split())) for key, text in texts.items()}


@functools.cache
def _declared(call: str) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the types and defaults of a function's arguments, and their descriptions.

    The source of the function `call` is parsed and not imported, so --help need not load pandas.
    """
    module, _, name = call.rpartition(".")
    path = Path(__file__).parents[1].joinpath(*module.split(".")).with_suffix(".py")
    source = path.read_text(encoding="utf-8")
    node: Any = next(each for each in ast.parse(source).body if vars(each).get("name") == name)
    rows = _DECLARED.findall(ast.get_source_segment(source, node) or "")
    return {key: rest for key, *rest in rows}, _texts(ast.get_docstring(node))


def _argument_of(calls: Collection[str], name: str) -> inspect.Parameter:
    """Return the argument `name` of the first function in `calls` that has this argument."""
    call = next(each for each in calls if name in _declared(each)[0])
    annotation, text = _declared(call)[0][name]
    try:
        default = ast.literal_eval(text)
    except ValueError:  # the default is the name of a constant
        default = getattr(import_module(f"{PACKAGE}.{call.rpartition('.')[0]}"), text)
    words = re.findall(r"\w+", annotation)
    kind: Any = next((each for each in (Path, bool, int, float) if each.__name__ in words), str)
    if kind is int and "str" in words:
        number = typer.Option(
            parser=lambda text: int(text) if text.lstrip("+-").isdecimal() else text,
            metavar="<int or agent>",
        )
        kind = Annotated[Any, number]
    elif default is None:
        kind = kind | None
    return _parameter(name, default=getattr(default, "name", default), annotation=kind)  # type: ignore[no-any-return]


def _as_option(parameter: inspect.Parameter, about: str, panel: str | None) -> inspect.Parameter:
    """Return the parameter with an annotation that makes it an option of Typer."""
    annotation, details = parameter.annotation, None
    if get_origin(annotation) is Annotated:
        annotation, details = get_args(annotation)
        details = copy(details)  # several arguments may share `details`
    if isinstance(details, typer.models.ArgumentInfo):
        details.help = about
    else:
        spelled = f"--{parameter.name.replace('_', '-')}"
        details = details or typer.Option()
        if details.default is ...:  # the annotation gives no spelling such as --all
            others = {"--output", "--out"} - {spelled}
            details.param_decls = (spelled, *others) if len(others) == 1 else (spelled,)
        usual = "; ".join(_IF_NONE.findall(about))
        details.help = _IF_NONE.sub("", about).removesuffix(".") + "."
        details.rich_help_panel = panel
        if annotation is bool:
            details.metavar, details.show_default = "", False
        elif details.show_default is True and (usual or parameter.default is None):
            details.show_default = usual or "none"
    annotation = Annotated[annotation, details]
    return parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=annotation)


def users_a_cell(n_instances: int | None, quick: bool) -> int:
    """Return the number of users for each pair of delta and K."""
    usual = QUICK_N_INSTANCES if quick else N_INSTANCES
    return usual if n_instances is None else n_instances


def cores() -> int:
    """Return the number of processors that this program may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
