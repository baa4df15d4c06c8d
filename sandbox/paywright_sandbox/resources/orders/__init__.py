"""Payment orders: hosted and Drop-In, their inquiry, and what follows when one is finished [2.3, 4.1 to 4.3]."""
