"""Parts of all pages: templates, forms, and messages as text."""
