"""What a ledger keeps: claims of deliveries, and the book of open items."""
