"""What commands share: the terminal, .env files, loading of receivers, HTTP requests."""
