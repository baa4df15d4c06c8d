"""`paywright sandbox check-receiver`: points the faults of notifications at a merchant's endpoint, in whatever language it is
written, and says what it did wrong. Everything goes over HTTP; nothing is known of the endpoint but its address.
"""
