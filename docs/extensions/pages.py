"""Pages made from the package and the repository: environments, symbols, rooms, commands."""

import ast
import csv
import functools
import json
import os
import re
import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import gymnasium as gym
import structure
import typer
from sphinx.application import Sphinx
from sphinx.util import logging
from typer.cli import get_docs_for_click

from explorative_user_env import commands as cli
from explorative_user_env.display.plots import COLOURS
from explorative_user_env.display.plots import PAGES as THEMES
from explorative_user_env.envs.scores import SCORES
from explorative_user_env.show import scene
from explorative_user_env.show.svg import OURS
from explorative_user_env.teach.notebooks import SOLUTIONS, notebook_files
from extensions import reference
from extensions.places import fill

_log = logging.getLogger(__name__)

DOCS = Path(__file__).parents[1]
ROOT = DOCS.parent
PACKAGE = structure.PACKAGE


def command_line(env: Any, docname: str, what: str) -> Iterator[str]:
    """Yield Typer's documentation of every command and option."""
    group = typer.main.get_command(cli.app())
    context: Any = typer.Context(group, info_name="explorative-user")
    text = get_docs_for_click(obj=group, ctx=context, name="explorative-user")
    text = text.partition("\n\n")[2]
    heading = re.compile(r"^#+ `explorative-user (.+)`$", flags=re.MULTILINE)
    yield heading.sub(lambda it: f"({it[1].replace(' ', '-')})=\n{it[0]}", text)


def environment(env: Any, docname: str, name: str) -> Iterator[str]:
    """Yield a picture, the spaces, and the docstrings of the single and the vector environment."""
    one = gym.make(name, render_mode="svg", render_intervals=True)
    many = gym.make_vec(name, num_envs=3)
    single, vector = reference.ENVIRONMENTS[name]
    first, _, rest = reference.docstring("", single).partition("\n\n")
    yield from (first, "", "````{raw} html", f'<div class="picture">{_picture(one)}</div>', "````")
    yield from ("", f"| | of {one.get_wrapper_attr('population').n_arms} arms |", "| :--- | :--- |")
    for words, made, call in (("", one, "make("), (" of 3 users", many, "make_vec(")):
        yield f"| Action space{words} | `{made.action_space}` |"
        yield f"| Observation space{words} | `{_short(made.observation_space)}` |"
        arguments = f'"{name}"' + (", num_envs=3" if words else "")
        yield f"| Made by | `gym.{call}{arguments})` |"
        made.close()
    yield from ("", rest, "", "## Scores", "", *_scores(name), "", "## One user", "")
    yield from reference.entry(reference.room_of(single), single.__name__, single, first)
    yield from ("", "## Many users", "")
    yield from reference.entry(reference.room_of(vector), vector.__name__, vector)


def _scores(name: str) -> Iterator[str]:
    """Yield the table of an environment's range of expected returns."""
    yield f"Expected returns. The `reward_threshold` of the id is {SCORES[name][0].threshold:g}."
    yield from ("", "| K | horizon | random | best agent | reference | bound |")
    yield "| ---: | ---: | ---: | :--- | :--- | ---: |"
    for each in SCORES[name]:
        best, reference = f"{each.best:g} ({each.best_agent})", f"{each.reference:g}"
        yield (
            f"| {each.n_arms} | {each.horizon} | {each.random:g} | {best} | "
            f"{reference} ({each.reference_agent}) | {each.bound:g} |"
        )
    yield ""
    yield "{py:class}`explorative_user_env.envs.scores.Scores` explains the columns."


def _short(space: Any) -> str:
    if isinstance(space, gym.spaces.Box):
        return f"Box({space.low.min():g}, {space.high.max():g}, {space.shape}, {space.dtype})"
    return str(space)


def _picture(env: Any) -> str:
    """Return the environment after the last rejection within 400 steps, for screens and phones."""
    env.reset(seed=7)
    phone = partial(scene.scene_of_user, width=360)
    rejections, drawn = -1, {"wide": "", "narrow": ""}
    n_arms = env.get_wrapper_attr("population").n_arms
    for step in range(min(400, SCORES[env.spec.id][0].horizon)):
        info = env.step(step % n_arms)[-1]
        if info["rejections"] > rejections:
            rejections, drawn["wide"] = info["rejections"], env.render()
            with mock.patch.object(scene, "scene_of_user", phone):
                drawn["narrow"] = env.render()
    return "".join(f'<div class="{size}">{svg}</div>' for size, svg in drawn.items())


def house(env: Any, docname: str, what: str) -> Iterator[str]:
    """Yield the rooms of the package with the rooms that each imports, the highest floor first."""
    below: dict[str, set[str]] = {}
    for importer, imported in structure.all_imports(ROOT):
        below.setdefault(structure.room_of(importer), set()).add(structure.room_of(imported))
    yield from ("| floor | room | content | imports |", "| ---: | :--- | :--- | :--- |")
    for floor, rooms in reversed([*enumerate(structure.FLOORS)]):
        for room in rooms:
            name = PACKAGE if room == "__init__" else f"{PACKAGE}.{room}"
            tree = ast.parse(structure.modules(ROOT)[name].read_text(encoding="utf-8"))
            words = (ast.get_docstring(tree) or "").partition("\n\n")[0]
            imports = ", ".join(sorted(below.get(room, set()) - {room})).replace(
                "__init__", PACKAGE
            )
            yield f"| {floor} | `{name}` | {' '.join(words.split())} | {imports} |"


def rows(table: str) -> list[dict[str, str]]:
    """Return the rows of a table from the paper to the code, by the name of its file."""
    with (DOCS / "paper" / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return [*csv.DictReader(file)]


def names(row: dict[str, str]) -> list[str]:
    """Return the dotted names in a row, without the package's name."""
    return [name for name in row["names"].split("; ") if name]


def _linked(name: str) -> str:
    """Return a name as code with its module, linked if the reference lists it."""
    module, _, last = name.rpartition(".")
    address = reference.addresses().get(f"{PACKAGE}.{name}")
    code = f"{{py:obj}}`{last} <{address}>`" if address else f"`{last}`"
    return f"{code} in `{module}`" if module else code


def symbols(env: Any, docname: str, what: str) -> Iterator[str]:
    """Yield the table of the paper's symbols."""
    yield from ("| in the paper | meaning | name in code |", "| :--- | :--- | :--- |")
    for row in rows("symbols"):
        yield f"| {row['symbol']} | {row['what it is']} | {'<br>'.join(map(_linked, names(row)))} |"


def theory(env: Any, docname: str, what: str) -> Iterator[str]:
    """Yield the table of the paper's theorems, experiments and figures."""
    yield from ("| in the paper | meaning | name in code |", "| :--- | :--- | :--- |")
    for row in rows("theory"):
        about = "; ".join(filter(None, (row["what it is"], row["note"])))
        linked = "<br>".join(map(_linked, names(row)))
        yield f"| {row['kind']}<br>`{row['label']}` | {about} | {linked} |"


def bring_notebooks(app: Sphinx) -> None:
    """Write the notebooks into the site's folder; with answers only for `-t answers`."""
    folder, answers = Path(app.srcdir) / "course", app.tags.has("answers")
    if not answers:
        shutil.rmtree(folder / SOLUTIONS, ignore_errors=True)
    for name, content in notebook_files(answers).items():
        path = folder / name if name.startswith(SOLUTIONS) else folder / "notebooks" / name
        if path.parent.name == SOLUTIONS:
            notebook = json.loads(content)
            notebook["cells"][0]["source"] += "\n\n(With answers.)"
            content = json.dumps(notebook).encode()
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_bytes() != content:
            path.write_bytes(content)


def notebooks(env: Any, docname: str, kind: str) -> Iterator[str]:
    """Yield the table of contents of the notebooks, with or without answers."""
    paths = sorted((Path(env.srcdir) / "course" / kind).glob("*.ipynb"))
    yield from (
        "```{toctree}",
        ":maxdepth: 1",
        "",
        *(f"{kind}/{path.stem}" for path in paths),
        "```",
    )


_SHOWN = re.compile(r"^```\{from-repository\} (\S+)\n```$", flags=re.MULTILINE)
_LINK = re.compile(r"(`+[^`]+`+)|(!?)\[((?:[^\[\]`]|`[^`]*`|\[[^\]]*\])*)\]\(([^)\s]+)\)")
_BLOCK = re.compile(r"(^```.*?^```$)", flags=re.MULTILINE | re.DOTALL)


@functools.cache
def shown() -> dict[Path, Path]:
    """Return, for each repository file that the site includes, its page."""
    pages = {ROOT / "README.md": DOCS / "index.md"}
    for page in sorted(DOCS.rglob("*.md")):
        for place in _SHOWN.finditer(page.read_text(encoding="utf-8")):
            pages[ROOT / place[1]] = page
    return pages


def relinked(text: str, file: Path, page: Path, known: dict[Path, Path]) -> str:
    """Return a file's Markdown with its relative links rewritten for a page.

    Args:
        text: the Markdown.
        file: the file.
        page: the page that includes it.
        known: the pages of the site, by file; other files become downloads.
    """

    def leads(link: re.Match[str]) -> str:
        code, picture, words, target = link.groups()
        path, _, part = (target or "").partition("#")
        if code or not path or re.match(r"[a-z][a-z0-9+.-]*:", path):
            return link[0]
        goal = Path(os.path.normpath(file.parent / path))
        if goal.is_dir():
            return str(words)  # the site has no pages for folders
        if not goal.exists():
            _log.warning("%s links to %s, which does not exist", file, target)
        to = Path(os.path.relpath(known.get(goal, goal), page.parent)).as_posix()
        return f"{picture}[{words}]({to}{'#' + part if part else ''})"

    parts = _BLOCK.split(text)  # every second one is code
    return "".join(part if n % 2 else _LINK.sub(leads, part) for n, part in enumerate(parts))


def from_repository(env: Any, docname: str, name: str) -> Iterator[str]:
    """Yield a file of the repository with rewritten links."""
    text = (ROOT / name).read_text(encoding="utf-8")
    yield relinked(text, ROOT / name, DOCS / f"{docname}.md", shown())


def relink(app: Sphinx, docname: str, text: list[str]) -> None:
    """Rewrite links to files that the site includes, to their pages."""
    page = Path(app.env.doc2path(docname))
    if page.suffix == ".md":
        text[0] = relinked(text[0], page, page, shown())


def write_colours(app: Sphinx, failed: Exception | None) -> None:
    """Write the colours of pictures for the site's theme switch."""
    if failed is None and app.builder.format == "html":
        rules = (
            f'body[data-theme="{theme}"] .{OURS}-auto{{'
            + ";".join(f"--{OURS}-{role}:{getattr(c, theme)}" for role, c in COLOURS.items())
            + "}\n"
            for theme in THEMES
        )
        (Path(app.outdir) / "_static" / "pictures.css").write_text("".join(rules), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the places, the notebooks and the colours."""
    app.connect("builder-inited", bring_notebooks)
    app.connect("source-read", relink, priority=100)  # before generated text is inserted
    fill(app, "command-line", command_line)
    fill(app, "environment", environment)
    fill(app, "house", house)
    fill(app, "symbols-table", symbols)
    fill(app, "theory-table", theory)
    fill(app, "notebooks", notebooks)
    fill(app, "from-repository", from_repository)
    app.add_css_file("pictures.css")
    app.connect("build-finished", write_colours)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
