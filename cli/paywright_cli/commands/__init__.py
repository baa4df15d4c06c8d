"""One module for each group of commands. Only the standard library is imported before a command runs."""
