"""How Sphinx makes the guide of these pages: `make docs`."""

from importlib.metadata import version as version_of

project = "icsched"
author = "the authors of icsched"
version = release = version_of("icsched")

extensions = ["myst_nb", "sphinx_copybutton"]
exclude_patterns = ["conf.py"]
html_theme = "furo"
html_title = "icsched"
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_static_path = ["_static"]
html_css_files = ["guide.css"]

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4  # pages link to headings
suppress_warnings = ["myst.xref_ambiguous"]

nb_execution_mode = "force"  # a notebook that fails, fails the guide
nb_execution_raise_on_error = True
nb_execution_timeout = 120

copybutton_exclude = ".linenos, .gp, .go"
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
