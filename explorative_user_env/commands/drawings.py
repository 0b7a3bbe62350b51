"""Which plots a run has, by the command that made it."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from explorative_user_env.display.progress import OnProgress
from explorative_user_env.results.plots import kinds_for
from explorative_user_env.results.plots_of_runs import RUN_KINDS, heading_of, why_not
from explorative_user_env.results.results import Results, Sweep
from explorative_user_env.studies import lower_bound, suite, tuning
from explorative_user_env.users.population import OPTIONS, Population, split_options
from explorative_user_env.validation import InvalidArgumentError


class Drawing(NamedTuple):
    """A plot that can be drawn.

    Attributes:
        name: the name of its files.
        about: who met whom.
        draw: draws it, and reports its progress.
    """

    name: str
    about: str
    draw: Callable[[OnProgress], Any]


class NotDrawn(NamedTuple):
    """A plot that a run does not have, and why."""

    name: str
    why: str


Drawings = Iterator[Drawing | NotDrawn]


def drawings_of(request: Mapping[str, Any], folder: Path, cells: Sequence[Results]) -> Drawings:
    """Yield the plots of a run, and those that it cannot have.

    Args:
        request: the request of the run.
        folder: the folder of its files.
        cells: the results that it has.
    """
    asked = request["options"]
    draws: dict[str, Any]
    match request["command"]:
        case "paper tune-n1":
            draws = {
                f"frontier_{each}": partial(tuning.draw_frontier, figure=each)
                for each in tuning.NAMED
            }
            yield from _of_study("BAIR's N_1", partial(tuning.kept_tuning, folder), draws)
        case "paper lower-bound":
            draws = {"overlap": lower_bound.draw_overlap, "needed": lower_bound.draw_needed}
            for name, draw in draws.items():
                found = partial(lower_bound.kept_table, folder, name)
                yield from _of_study("the lower bound's pair of users", found, {name: draw})
        case "suite --user":
            names = None if asked["user"] == ["all"] else asked["user"]
            varieties = suite.varieties_named(names)
            population = Population(**split_options(asked)[0])
            found = partial(suite.kept_matrix, cells, population, varieties)
            yield from _of_study("robustness", found, {"heat_map": suite.heat_map})
        case "suite":
            found = partial(suite.kept_suite, asked, cells)
            yield from _of_study("the suite", found, {"heat_map": suite.SuiteResults.plot})
        case _:
            yield from _of_cells(cells)


def _of_study(about: str, load: Callable[[], Any], draws: Mapping[str, Any]) -> Drawings:
    """Yield the plots of what a study has kept, if it is complete."""
    try:
        found = load()
    except InvalidArgumentError as error:
        yield NotDrawn(", ".join(draws), f"needs {error.allowed}")
    else:
        for name, draw in draws.items():
            yield Drawing(name, about, partial(_drawn, draw, found))


def _drawn(draw: Callable[[Any], Any], given: Any, progress: OnProgress) -> Any:
    return draw(given)


def _of_cells(cells: Sequence[Results]) -> Drawings:
    """Yield the plots of each group of cells that differ only in K and delta."""
    groups = _groups(cells)
    abouts = [heading_of(each[0], ("n_arms", "delta") if len(each) > 1 else ()) for each in groups]
    for group, about, prefix in zip(groups, abouts, _prefixes(abouts), strict=True):
        if len(group) == 1:
            yield from _of_cell(group[0], prefix, about)
        else:
            sweep = Sweep(group)
            for kind in kinds_for(sweep):
                yield Drawing(prefix + kind, about, partial(_drawn, sweep.plot, kind))
    if any(len(group) > 1 for group in groups):
        names = ["success by budget", *(name for name in RUN_KINDS if name != "success")]
        why = "of one cell each: choose one with --n-arms and --delta"
        yield NotDrawn(", ".join([*names, "differences"]), why)


def _of_cell(results: Results, prefix: str, about: str) -> Drawings:
    for name, draw_kind in RUN_KINDS.items():
        if why := why_not(name, results):
            yield NotDrawn(prefix + name, why)
        else:
            yield Drawing(prefix + name, about, partial(draw_kind, results, None))
    try:
        compared = results.compare_all(next(iter(results.deltas)))
    except InvalidArgumentError as error:
        yield NotDrawn(f"{prefix}differences", f"needs {error.allowed}")
        return
    for each in compared.comparisons[0].differences:
        name = f"{prefix}differences-{_as_name(each.figure)}"
        draw = partial(_drawn, compared.plot, each.figure)
        yield Drawing(name, f"{each.figure}, {about}", draw)


def _groups(cells: Sequence[Results]) -> list[list[Results]]:
    """Return cells grouped by all that they have but K and delta."""
    shared = ("task", "seed", *(option.name for option in OPTIONS if option.name != "n_arms"))
    found: dict[str, list[Results]] = {}
    for each in cells:
        key = repr([each.cell.get(name) for name in shared])
        same = [(one.cell["n_arms"], one.cell["delta"]) for one in found.get(key, [])]
        if (each.cell["n_arms"], each.cell["delta"]) in same:  # another line-up, the same users
            key += repr(list(each.deltas))
        found.setdefault(key, []).append(each)
    return list(found.values())


def _prefixes(abouts: Sequence[str]) -> list[str]:
    """Return how the files of each group begin: with the words in which it differs from others."""
    if len(abouts) < 2:
        return [""] * len(abouts)
    parts = [about.split(", ") for about in abouts]
    shared = set.intersection(*map(set, parts))
    names = [_as_name(" ".join(one for one in own if one not in shared)) for own in parts]
    numbers = Counter(names)
    return [
        f"{name}-" if name and numbers[name] == 1 else f"{place}-{name}".rstrip("-") + "-"
        for place, name in enumerate(names, 1)
    ]


def _as_name(words: str) -> str:
    return re.sub(r"[^a-z0-9.]+", "-", words.lower()).strip("-.")
