"""How the documentation site is built: `sphinx-build -W -n --keep-going docs DIR`.

What is generated is made by the small modules of `extensions`; no generated page is kept.
"""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "tests")]

from explorative_user_env.version import __version__  # noqa: E402

project = "explorative-user-env"
author = "The explorative-user-env developers"
copyright = author
release = version = __version__

extensions = [
    "myst_nb",
    "sphinx_copybutton",
    "extensions.formulas",
    "extensions.reference",
    "extensions.environments",
    "extensions.command_line",
    "extensions.paper",
    "extensions.house",
    "extensions.repository",
    "extensions.notebooks",
    "extensions.pictures",
    "extensions.searched",
]
exclude_patterns = ["_build", "extensions"]

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "fieldlist"]
myst_heading_anchors = 3
nb_execution_mode = (
    "off"  # notebooks are executed where they are built, and come with their outputs
)

smartquotes = False  # a prime in a docstring is a prime
toc_object_entries_show_parents = "hide"
python_maximum_signature_line_length = 88

html_theme = "furo"
html_title = project
html_math_renderer = "mathml"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sphinx = False
copybutton_exclude = ".linenos, .gp, .go"
