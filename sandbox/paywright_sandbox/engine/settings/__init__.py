"""The settings of sandbox.toml, and its policies."""
