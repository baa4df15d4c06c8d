"""Read captures in Parquet tables."""
