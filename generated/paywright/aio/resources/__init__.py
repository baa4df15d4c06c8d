"""Resources that are awaited."""
