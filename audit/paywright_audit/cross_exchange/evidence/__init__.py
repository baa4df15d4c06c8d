"""Rows: what exchanges say about orders, refunds and the like, whose they are, and which are copies."""
