"""Python text that views share: expressions, types, docstrings and comments."""
