"""What the audit came to, as plain values, and those who write it: for people, for programs, for other tools."""
