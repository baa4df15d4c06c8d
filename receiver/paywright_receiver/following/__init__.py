"""Followers: they ask the gateway about open items until their last state is known."""
