"""Rules across exchanges: each exchange adds rows about its subjects to a store; rules run when all rows are there."""
