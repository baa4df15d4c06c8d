"""What the tests of the contract and of generated code share."""
