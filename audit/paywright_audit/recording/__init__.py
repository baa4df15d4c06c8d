"""Recording of a merchant's traffic for the audit: a recorder of files, and what puts it around clients and endpoints."""
