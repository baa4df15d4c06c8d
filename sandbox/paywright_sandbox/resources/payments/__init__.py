"""What is paid and how: the row of an order, payment methods, masked cards, and saved payment tokens [2.3, 2.6, 2.8]."""
