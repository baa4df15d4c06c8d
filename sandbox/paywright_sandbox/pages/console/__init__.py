"""The console: lists, forms and the log."""
