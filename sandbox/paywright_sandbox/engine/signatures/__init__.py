"""The signatures of SNAP."""
