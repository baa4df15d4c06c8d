"""Readers of captures: JSON lines and HAR, to records with bodies and times."""
