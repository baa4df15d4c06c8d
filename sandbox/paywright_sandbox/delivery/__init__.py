"""Delivery of notifications: the outbox, the worker that sends, and what faults do on the way."""
