"""Views: the data that fills the templates, one module a template."""
