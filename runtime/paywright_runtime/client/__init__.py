"""The client: a call from its arguments to its result, settings, and resolvers of unknown outcomes."""
