"""Subscription plans, their periods and their charges [2.5, 4.5, 6.2]."""
