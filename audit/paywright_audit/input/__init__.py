"""Readers of captures: JSON lines, HAR and flow files, to records with bodies and times."""
