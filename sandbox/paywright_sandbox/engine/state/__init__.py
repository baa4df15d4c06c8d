"""State of a sandbox: tables, transactions, snapshots, captures and the virtual clock."""
