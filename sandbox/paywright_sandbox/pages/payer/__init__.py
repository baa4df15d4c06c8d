"""Pages of payers: the cashier and payment links."""
