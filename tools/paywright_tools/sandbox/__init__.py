"""The gateway on localhost: stateful, verifying, signing.

`engine` answers one request and knows no socket, no file and no wall clock; `server` puts it on HTTP; `store` is the one
place of state, `policies` the one place of what the specification does not show, and time is whatever `Clock` is given.
"""
