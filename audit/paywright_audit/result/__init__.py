"""Mergeable results: counts and findings of parts of the input."""
