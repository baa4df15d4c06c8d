"""Render the model as Python: templates, and the views that fill them."""
