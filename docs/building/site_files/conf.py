"""Settings of Sphinx for the site: no request to another host, no tracking, search without a server."""

project = "paywright"
author = "paywright developers"
html_title = "paywright"
extensions = ["myst_parser"]
root_doc = "index"
source_suffix = {".md": "markdown"}
myst_all_links_external = True  # `docs/build.py` checks them all
myst_enable_extensions = ["html_image"]
suppress_warnings = ["myst.header", "toc.not_included", "misc.highlighting_failure"]
html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_show_sphinx = False
html_use_index = False
html_domain_indices = False
html_theme_options = {
    "navigation_with_keys": True,
    "top_of_page_buttons": [],
    "light_css_variables": {"font-stack--headings": "var(--font-stack)"},
}
smartquotes = False  # texts of errors are searched as they are
