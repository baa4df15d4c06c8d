"""Turn the contract in `spec/` into Python: reader, model, lint, rendering. Used at build time only."""
