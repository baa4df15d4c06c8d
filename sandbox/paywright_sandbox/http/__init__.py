"""The sandbox on HTTP: server, protocol, and replies over ASGI."""
