"""The hand-written part of paywright: keys and signatures, strict JSON, transport, and the engine of a call.

Generated code links to it. Merchants import `paywright`.
"""
