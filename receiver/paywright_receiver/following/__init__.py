"""Followers: they work through the book of open items, by inquiries."""
