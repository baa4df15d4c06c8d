"""`paywright doctor`: look at an installation, and say what is wrong with it."""
