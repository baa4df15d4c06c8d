"""One module a command group. Each has `register`; nothing beyond the standard library is imported before a command runs."""
