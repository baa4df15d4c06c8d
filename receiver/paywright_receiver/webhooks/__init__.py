"""Notifications (webhooks), from the raw body to the reply [6]."""
