"""Settings of Sphinx for the site: see __main__.py."""

import sys
from pathlib import Path

import pystrat

sys.path.insert(0, str(Path(__file__).parent))  # where name_links is

project = "pystrat and rbridge"
version = release = pystrat.__version__
language = "en"
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_inline_tabs",
    "name_links",
]

# Text is shown as it was written: `--plot` with two hyphens.
smartquotes = False
highlight_language = "none"
# In docstrings, `name` is a link if there is a page for the name, and code otherwise.
default_role = "py:obj"

myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3

autodoc_typehints = "none"
numpydoc_show_class_members = False
copybutton_prompt_text = ">>> "

html_theme = "furo"
pygments_dark_style = "monokai"
html_title = project
html_static_path = [str(Path(__file__).with_name("static"))]
html_css_files = ["site.css"]
html_js_files = ["chosen_tab.js"]
templates_path = [str(Path(__file__).with_name("templates"))]
html_copy_source = False
# For pages that are opened as files: browsers do not let them read other pages, of which summaries are made.
html_show_search_summary = False
html_show_copyright = False
html_show_sphinx = False
