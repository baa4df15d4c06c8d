"""Rules across exchanges: what each exchange says of a subject, kept in a ledger, and judged when all is in."""
