"""Find statements of a contract that cannot be meant."""
