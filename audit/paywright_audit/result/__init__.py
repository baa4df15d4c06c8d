"""What is counted and found in one part of the input, and merged."""
