"""Read the contract: YAML files to the document tree, and that to the model."""
