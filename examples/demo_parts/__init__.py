"""The chapters of `examples/demo.py`, and what they share."""
