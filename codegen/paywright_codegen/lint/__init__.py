"""Find what a contract says but cannot mean."""
