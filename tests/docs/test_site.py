"""The site: built without a warning, every name once, every link leads somewhere."""

import re
from importlib import import_module
from pathlib import Path

import gymnasium as gym
import pytest
import structure
import typer
from browser import (
    DESKTOP,
    PHONE,
    bordered_cells,
    chromium,
    cut_off,
    moved_tables,
    page_in,
    too_wide,
)
from built_site import PACKAGE, ROOT, Built, build, inventory

from explorative_user_env import commands as cli
from explorative_user_env.envs import ENTRIES
from explorative_user_env.teach import LESSONS

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return build(ROOT / "docs", tmp_path_factory.mktemp("site"))


def test_it_is_built_without_a_warning(site: Built) -> None:
    assert site.warnings == []
    assert site.code == 0


def test_every_link_within_it_leads_somewhere(site: Built) -> None:
    assert sum(len(page.links) for page in site.pages().values()) > 2000
    assert site.lost_links() == []


def test_a_link_that_leads_nowhere_is_found(tmp_path: Path) -> None:
    (tmp_path / "there.html").write_text('<p id="part"></p>', encoding="utf-8")
    good = ("there.html", "there.html#part", "#own", "https://example.org", "mailto:a@b.c")
    lost = ("gone.html", "there.html#gone", "#gone", "gone.png")
    links = "".join(f'<a href="{link}"></a>' for link in (*good, *lost[:-1]))
    page = f'<p id="own">{links}<img src="{lost[-1]}"></p>'
    (tmp_path / "page.html").write_text(page, encoding="utf-8")
    assert Built(tmp_path, 0, []).lost_links() == [f"page.html: {link}" for link in lost]


def test_every_page_stands_once_in_the_contents(site: Built) -> None:
    text = (site.folder / "index.html").read_text(encoding="utf-8")
    side = text.split('class="sidebar-tree"')[1].split("</aside>")[0]
    listed = re.findall(
        r'<li class="toctree-l\d[^"]*"><a class="reference internal" href="(.*?)"', side
    )
    assert len(listed) > 40
    assert sorted({*listed}) == sorted(listed)


def test_it_can_be_read_without_a_network(site: Built) -> None:
    parts = {part for page in site.pages().values() for part in page.parts}
    assert parts
    assert [part for part in parts if part.startswith(("http:", "https:", "//"))] == []


def test_every_public_name_is_there_once(site: Built) -> None:
    explained = inventory(site.folder)
    assert {name: where for name, where in explained.items() if len(where) > 1} == {}
    public: dict[str, object] = {}
    for path in sorted((ROOT / PACKAGE).rglob("*.py")):
        room = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        if "\n__all__ = [" not in path.read_text(encoding="utf-8"):
            continue
        if room.endswith(".rl"):
            pytest.importorskip("sb3_contrib", reason="the room needs the extra rl")
        module = import_module(room)
        public |= {f"{room}.{name}": getattr(module, name) for name in module.__all__}
    assert len(public) > 80
    # A name that is handed on is explained in one of the rooms that have it.
    by_thing: dict[tuple[str, int], list[str]] = {}
    for address, thing in public.items():
        by_thing.setdefault((address.rpartition(".")[2], id(thing)), []).append(address)
    for addresses in by_thing.values():
        assert len([each for each in addresses if each in explained]) == 1, addresses
    inside = {name for name in explained if re.search(r"\._(?!_version__)", name)}
    assert inside == set()


def test_a_class_is_there_with_its_methods(site: Built) -> None:
    explained = inventory(site.folder)
    for name in ("Results.summary", "Results.plot", "Episode.film", "ExplorativeUserEnv.step"):
        assert f"{PACKAGE}.{name}" in explained


def test_every_environment_has_a_page_with_all_that_gymnasium_s_have(site: Built) -> None:
    pages = [site.page(f"environments/{path.stem}") for path in DOCS_OF_ENVIRONMENTS]
    for name, entry in ENTRIES.items():
        (page,) = [each for each in pages if each.text.startswith(name)]
        one = gym.make(name, n_arms=5)
        assert str(one.action_space) in page.text
        kinds = [entry[point].split(":")[1] for point in ("entry_point", "vector_entry_point")]
        for words in (f'gym.make("{name}")', f'gym.make_vec("{name}"', *kinds):
            assert words in page.text
        sections = {"description", "action-space", "observation-space", "rewards", "arguments"}
        sections |= {"starting-state", "episode-end", "information", "version-history"}
        assert sections <= set(page.ids)
        assert "what she believes" in page.text  # the picture


DOCS_OF_ENVIRONMENTS = [
    path for path in (ROOT / "docs/environments").glob("*.md") if path.stem != "index"
]


def test_a_name_in_code_leads_to_what_is_said_of_it(site: Built) -> None:
    links = site.page("reference/evaluation").links
    assert f"package.html#{PACKAGE}.InvalidArgumentError" in links  # in a list of fields
    # In a signature, and in the words below it.
    assert site.page("reference/package").links.count(RESULTS) > 1


RESULTS = f"#{PACKAGE}.Results"


def test_an_argument_is_told_with_its_name(site: Built) -> None:
    text = site.page("reference/package").text
    assert "n_instances – number of users, or of episodes, at least 1" in text
    assert " -- " not in text
    assert ":param" not in text


def test_every_command_and_option_is_there(site: Built) -> None:
    text = site.page("reference/command_line").text
    group = typer.main.get_command(cli.app())
    for name, command in cli.commands_of(group):
        assert name.replace(" ", "-") in site.page("reference/command_line").ids
        for option in command.params:
            if option.param_type_name == "option" and not option.hidden:
                assert set(re.findall(r"--[\w-]+", " ".join(option.opts))) <= set(
                    re.findall(r"--[\w-]+", text)
                )


def test_the_notebooks_come_with_their_outputs(site: Built) -> None:
    for lesson in LESSONS:
        page = site.page(f"course/notebooks/{lesson.name}")
        assert page.n_formulas > 3
        assert any("_images/" in part for part in page.parts)


def test_what_is_searched_for_is_found(site: Built) -> None:
    index = (site.folder / "searchindex.js").read_text(encoding="utf-8")
    for name in ("environments/explorative_user", "paper/symbols", "measured/report"):
        assert f'"{name}"' in index
    assert '"Symbols"' in index


def test_the_search_knows_the_words_of_the_glossary_and_no_answers(site: Built) -> None:
    index = (site.folder / "searchindex.js").read_text(encoding="utf-8")
    assert '"4. BAIR, step by step"' in index
    assert '"4. BAIR, step by step, with answers"' not in index
    for word in ("censored", "rejection"):
        assert f"glossary.html#term-{word}" in site.page("genindex").links
        assert re.search(rf'"{word}":\[\[\d+,"term-{word}",true', index)
    assert not list(site.folder.glob("course/solutions/*"))


def test_every_room_is_in_the_table_of_the_house(site: Built) -> None:
    text = site.page("project/house").text
    for room in (room for rooms in structure.FLOORS for room in rooms if room != "__init__"):
        assert f"{PACKAGE}.{room}" in text


LOOKED_AT = (
    "index",
    "genindex",
    "benchmark",
    "environments/explorative_user",
    "reference/package",
    "reference/command_line",
    "paper/symbols",
    "paper/theory",
    "project/house",
    "measured/report",
    "course/notebooks/lesson_4_bair",
)


@pytest.fixture(scope="module")
def looks(site: Built) -> dict[str, dict[str, object]]:
    """What is wrong with how each page looks, by its name, the screen and the theme."""
    found = {}
    with chromium() as browser:
        for size, dark in ((DESKTOP, False), (PHONE, True)):
            with page_in(browser, size, dark=dark) as page:
                for name in LOOKED_AT:
                    page.goto((site.folder / f"{name}.html").as_uri())
                    found[f"{name} at {size[0]}"] = {
                        "wide": too_wide(page),
                        "cut": cut_off(page),
                        "moved": moved_tables(page),
                        "borders": bordered_cells(page),
                    }
    return found


def test_no_page_is_wider_than_a_screen_or_a_phone(looks: dict[str, dict[str, object]]) -> None:
    assert len(looks) == 2 * len(LOOKED_AT)
    for what in ("wide", "cut", "borders"):
        assert {name: said[what] for name, said in looks.items() if said[what]} == {}


def test_a_table_is_read_whole_on_a_screen(looks: dict[str, dict[str, object]]) -> None:
    names = [f"{name} at {DESKTOP[0]}" for name in LOOKED_AT if name != "measured/report"]
    assert {name: looks[name]["moved"] for name in names if looks[name]["moved"]} == {}


def test_nothing_that_is_generated_is_kept() -> None:
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert {"/docs/_build/", "/docs/course/notebooks/", "/docs/course/solutions/"} <= {*ignored}
