"""What is wrong in the package stops the site from being built, and is said."""

import re
import shutil

import pytest
from built_site import PACKAGE, ROOT, Built, build

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """A site of one room, in which somebody took away what is said of one name."""
    root = tmp_path_factory.mktemp("broken")
    for folder in (PACKAGE, "agents", "docs/extensions", "tests"):
        shutil.copytree(
            ROOT / folder,
            root / folder,
            ignore=shutil.ignore_patterns("__pycache__", "*.zip", "agents", "test_*"),
        )
    (root / PACKAGE / "agents").symlink_to("../agents")
    path = root / PACKAGE / "theory" / "lower.py"
    text = path.read_text(encoding="utf-8")
    whole = re.sub(r'(def lower_bound\(.*?\) -> float:\n)    """.*?"""\n', r"\1", text, flags=re.S)
    assert whole != text
    path.write_text(whole, encoding="utf-8")
    (root / "docs" / "reference").mkdir()
    (root / "docs" / "reference" / "theory.md").write_text(
        f"# A room\n\n```{{room}} {PACKAGE}.theory\n```\n", encoding="utf-8"
    )
    (root / "docs" / "index.md").write_text(
        "# All\n\n```{toctree}\nreference/theory\n```\n", encoding="utf-8"
    )
    (root / "docs" / "conf.py").write_text(
        "import sys\n"
        f"sys.path[:0] = [{str(root / 'docs')!r}, {str(root)!r}, {str(root / 'tests')!r}]\n"
        'extensions = ["myst_nb", "extensions.reference"]\n'
        'myst_enable_extensions = ["colon_fence", "fieldlist"]\n',
        encoding="utf-8",
    )
    return build(root / "docs", root / "built", packages=root)


def test_a_public_name_that_nobody_explains_stops_the_build(broken: Built) -> None:
    said = f"{PACKAGE}.theory.lower_bound is public, and has no docstring"
    assert broken.code != 0
    assert [line for line in broken.warnings if "no docstring" in line] == [f"WARNING: {said}"]
