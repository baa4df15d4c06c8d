"""Rules across exchanges, each over the rows of one key."""
