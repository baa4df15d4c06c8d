"""Documents beside the Python: JSON Schema, OpenAPI, examples, open questions, coverage."""
