"""How the documentation site is built: `sphinx-build -W -n --keep-going docs DIR`.

The option `-t answers` adds the notebooks with answers. No generated page is kept.
"""

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "tests")]

os.environ["PYTHONPATH"] = os.pathsep.join(
    filter(None, [str(HERE.parent), os.environ.get("PYTHONPATH", "")])
)  # the notebooks' kernels find the package, too

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
    "extensions.pages",
]
exclude_patterns = ["_build", "extensions"]

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "fieldlist"]
myst_heading_anchors = 3
nb_execution_mode = "cache"  # notebooks of the course run here, unchanged ones once
nb_execution_timeout = 300
nb_execution_raise_on_error = True
nb_output_stderr = "remove"
suppress_warnings = ["myst.header"]  # pages of the repository may leave out a level

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
