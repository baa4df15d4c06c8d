"""The whole run of the generator, and the files that it writes."""
