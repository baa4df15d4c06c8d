"""`paywright sandbox check-receiver`: test a merchant's endpoint with valid, repeated, late and forged notifications.

The endpoint may be written in any language. Everything goes over HTTP; only its address is known.
"""
