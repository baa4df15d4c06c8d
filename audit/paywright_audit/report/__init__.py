"""The report as plain values, and its writers: for people, for programs, for other tools."""
