"""The reference of a contract: Markdown pages of its operations, notifications, states, codes, limits and questions."""
