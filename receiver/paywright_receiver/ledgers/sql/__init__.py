"""What the ledgers in databases share: tables, statements, the rules of claims, and the book of items."""
