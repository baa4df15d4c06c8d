"""Delivery of notifications: the outbox, the worker that sends, and faults on the way."""
