"""Diagnosis of signatures that do not verify, and the signatures of SNAP."""
