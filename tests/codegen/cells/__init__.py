"""Tiny contracts for single cells of the contract language, and the checks that all that is generated of one agrees."""
