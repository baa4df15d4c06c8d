"""Parts that commands share: the terminal, exit codes, .env files, loading of receivers."""
