"""Merchants that may call: their numbers, keys, addresses and money."""
