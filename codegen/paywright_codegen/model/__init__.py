"""The model of the contract: the reader builds it; lint and templates use it.

Everything is frozen. Names are the contract's own (wire names, operation ids, type names). `naming` alone turns them
into Python names.
"""
