"""Rows: statements of exchanges about orders, refunds and other subjects, with their owners and copies."""
