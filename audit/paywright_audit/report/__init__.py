"""The report as plain values, and its writers: for people, and for programs."""
