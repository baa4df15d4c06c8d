"""Ledgers of received notifications: SQLite, PostgreSQL and memory."""
