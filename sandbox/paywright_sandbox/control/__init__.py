"""The control API under `/_sandbox/`: its routes, its OpenAPI document and its client."""
