"""From the contract in `spec/` to Python: reading, model, lint, rendering. Used at build time only."""
