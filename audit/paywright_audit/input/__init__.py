"""Readers of captures and tables, which make records with bodies and times."""
