"""Ledgers of received notifications: SQLite, PostgreSQL, MariaDB and memory."""
