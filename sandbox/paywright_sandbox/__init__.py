"""The gateway on localhost: stateful, verifying, signing. `paywright_sandbox.testing` is its public module.

Each package imports only those above it: `engine` (one request in, one signed response out; no socket), `faults`,
`delivery` (outbox and notifications), `resources` (one module or package a resource of the contract), `control` (the
control API), `pages` (cashier and console), `http` (the server), `testing`.
"""
