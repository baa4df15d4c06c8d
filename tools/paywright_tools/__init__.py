"""The command line and the sandbox: what stands on top of the generated SDK."""
