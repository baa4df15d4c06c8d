"""Judging captured traffic of any integration against the contract: schema and signatures, in either direction.

`capture_reader` and `har` read, `matching` says which operation an exchange is of, `judging` and `signatures` judge it,
`report` prints. Nothing of a message is shown: places, codes and words only.
"""
