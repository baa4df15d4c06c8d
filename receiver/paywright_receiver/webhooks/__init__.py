"""Notifications: from the raw body to the reply, and the protocol of a ledger [6]."""
