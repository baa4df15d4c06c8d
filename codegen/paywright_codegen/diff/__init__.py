"""Compare two contracts: what changed, who can break by it, and what shows it."""
