"""What is asked of the gateway, when, and why: unknown writes until they are settled, and items until their last state. No I/O."""
