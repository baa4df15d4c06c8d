"""Payment links [2.7, 4.4]."""
