"""Messages and value lists."""
