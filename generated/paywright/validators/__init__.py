"""Validators."""
