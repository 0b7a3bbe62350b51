"""Which plots a run has, by the command that made it."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from explorative_user_env.commands.kept import Places
from explorative_user_env.validation import InvalidArgumentError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from explorative_user_env.display.progress import OnProgress
    from explorative_user_env.results.results import Results

OF_A_CELL = "of one cell each: choose one with --n-arms and --delta"


class Drawing(NamedTuple):
    """A plot that can be drawn.

    Attributes:
        name: what its files are called.
        about: who met whom.
        draw: draws it, telling how far it is.
    """

    name: str
    about: str
    draw: "Callable[[OnProgress], Axes]"


class NotDrawn(NamedTuple):
    """A plot that there is none of, and why."""

    name: str
    why: str


def drawings_of(
    request: Mapping[str, Any], places: Places, cells: "Sequence[Results]"
) -> Iterator[Drawing | NotDrawn]:
    """Yield the plots of a run, and those that it cannot have.

    Args:
        request: what the run was asked for.
        places: where its files are.
        cells: the results that there are.
    """
    match request["command"]:
        case "tune-n1":
            yield from _of_tuning(places)
        case "lower-bound":
            yield from _of_lower_bound(places)
        case "robustness":
            yield from _of_robustness(request["options"], cells)
        case "suite":
            yield from _of_suite(request["options"], cells)
        case _:
            yield from _of_cells(cells)


def _quick(draw: "Callable[..., Axes]", *given: Any) -> "Callable[[OnProgress], Axes]":
    """Return what draws at once, and has nothing to tell while it does."""
    return lambda _: draw(*given)


def _needs(error: InvalidArgumentError) -> str:
    """Return what is missing, as an error says it."""
    return "needs " + str(error).removeprefix(f"{error.name} must be ").rpartition(", got ")[0]


def _of_tuning(places: Places) -> Iterator[Drawing | NotDrawn]:
    from explorative_user_env.studies.tuning import NAMED, draw_frontier, kept_tuning

    names = [f"frontier_{figure}" for figure in NAMED]
    try:
        tuning = kept_tuning(places.folder)
    except InvalidArgumentError as error:
        yield NotDrawn(", ".join(names), _needs(error))
        return
    for name, figure in zip(names, NAMED, strict=True):
        yield Drawing(name, "BAIR's N_1", _quick(draw_frontier, tuning, figure))


def _of_lower_bound(places: Places) -> Iterator[Drawing | NotDrawn]:
    from explorative_user_env.studies.lower_bound import draw_needed, draw_overlap, kept_table

    about = "the lower bound's pair of users"
    for name, draw in {"overlap": draw_overlap, "needed": draw_needed}.items():
        try:
            table = kept_table(places.folder, name)
        except InvalidArgumentError as error:
            yield NotDrawn(name, _needs(error))
        else:
            yield Drawing(name, about, _quick(draw, table))


def _of_robustness(
    options: Mapping[str, Any], cells: "Sequence[Results]"
) -> Iterator[Drawing | NotDrawn]:
    from explorative_user_env.studies import robustness as room
    from explorative_user_env.users.population import Population, split_options

    varieties = room.varieties_named(options["user"])
    shared, _ = split_options(options)
    try:
        matrix = room.kept_matrix(cells, Population(**shared), varieties)
    except InvalidArgumentError as error:
        yield NotDrawn("heat_map", _needs(error))
    else:
        yield Drawing("heat_map", "robustness", _quick(room.heat_map, matrix))


def _of_suite(
    options: Mapping[str, Any], cells: "Sequence[Results]"
) -> Iterator[Drawing | NotDrawn]:
    from explorative_user_env.studies.suite import kept_suite

    try:
        found = kept_suite(options, cells)
    except InvalidArgumentError as error:
        yield NotDrawn("heat_map", _needs(error))
    else:
        yield Drawing("heat_map", found.run.title, _quick(found.plot))


def _of_cells(cells: "Sequence[Results]") -> Iterator[Drawing | NotDrawn]:
    """Yield the plots of each group of cells that differ in K and delta only."""
    from explorative_user_env.results.plots_of_runs import RUN_KINDS, heading_of

    groups = _groups(cells)
    abouts = [heading_of(each[0], ("n_arms", "delta") if len(each) > 1 else ()) for each in groups]
    for group, about, prefix in zip(groups, abouts, _prefixes(abouts), strict=True):
        if len(group) == 1:
            yield from _of_cell(group[0], prefix, about)
        else:
            yield from _of_group(group, prefix, about)
    if any(len(group) > 1 for group in groups):
        names = ["success by budget", *(name for name in RUN_KINDS if name != "success")]
        yield NotDrawn(", ".join([*names, "differences"]), OF_A_CELL)


def _prefixes(abouts: Sequence[str]) -> list[str]:
    """Return what the files of each group begin with: in what it is another than the others."""
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
    """Return words as a part of a file's name."""
    return re.sub(r"[^a-z0-9.]+", "-", words.lower()).strip("-.")


def _groups(cells: "Sequence[Results]") -> "list[list[Results]]":
    """Return cells by all that they share but for K and delta."""
    from explorative_user_env.users.population import OPTIONS

    told = ("task", "seed", *(option.name for option in OPTIONS if option.name != "n_arms"))
    found: dict[str, list[Results]] = {}
    for each in cells:
        key = repr([each.cell.get(name) for name in told])
        same = [(one.cell["n_arms"], one.cell["delta"]) for one in found.get(key, [])]
        if (each.cell["n_arms"], each.cell["delta"]) in same:  # another line-up with the same users
            key += repr(list(each.deltas))
        found.setdefault(key, []).append(each)
    return list(found.values())


def _of_cell(results: "Results", prefix: str, about: str) -> Iterator[Drawing | NotDrawn]:
    from explorative_user_env.results.plots_of_runs import RUN_KINDS

    for name, kind in RUN_KINDS.items():
        if why := kind.why_not(results):
            yield NotDrawn(prefix + name, why)
        else:
            yield Drawing(prefix + name, about, partial(kind.draw, results, None))
    yield from _of_differences(results, prefix, about)


def _of_differences(results: "Results", prefix: str, about: str) -> Iterator[Drawing | NotDrawn]:
    first = next(iter(results.deltas))
    try:
        compared = results.compare_all(first)
    except InvalidArgumentError as error:
        yield NotDrawn(f"{prefix}differences", _needs(error))
        return
    for each in compared.comparisons[0].differences:
        name = f"{prefix}differences-{_as_name(each.figure)}"
        yield Drawing(name, f"{each.figure}, {about}", _quick(compared.plot, each.figure))


def _of_group(group: "list[Results]", prefix: str, about: str) -> Iterator[Drawing | NotDrawn]:
    from explorative_user_env.results.plots import kinds_for
    from explorative_user_env.results.results import Sweep

    sweep = Sweep(group)
    for kind in kinds_for(sweep):
        yield Drawing(prefix + kind, about, _quick(sweep.plot, kind))
