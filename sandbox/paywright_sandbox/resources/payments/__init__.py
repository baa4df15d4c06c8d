"""Shared parts of payments: the row of an order, payment methods, and saved payment tokens [2.3, 2.6, 2.8]."""
