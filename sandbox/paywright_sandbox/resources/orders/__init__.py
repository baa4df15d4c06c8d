"""Payment orders: hosted and Drop-In, their inquiry, and the effects of a finished one [2.3, 4.1 to 4.3]."""
