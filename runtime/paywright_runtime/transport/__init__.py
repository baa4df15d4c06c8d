"""HTTP/1.1 to the gateway: pool, connection, response parser and deadline [4]."""
