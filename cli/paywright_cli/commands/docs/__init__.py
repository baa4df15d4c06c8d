"""`paywright docs`: the documentation, from the installation."""
