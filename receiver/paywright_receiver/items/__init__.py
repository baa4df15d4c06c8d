"""Records of a ledger: claims of deliveries, and open items."""
