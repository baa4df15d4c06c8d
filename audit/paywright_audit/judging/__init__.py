"""Rules about one captured exchange: its operation, schema, signatures and clock."""
