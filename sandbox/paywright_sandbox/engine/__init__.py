"""The engine: one request in, one signed response out. It knows no socket and no resource."""
