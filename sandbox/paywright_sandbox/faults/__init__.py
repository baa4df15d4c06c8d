"""Faults: rules of what breaks on purpose, and their effects on responses."""
