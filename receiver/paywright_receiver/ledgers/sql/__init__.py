"""Parts that ledgers in databases share: tables, statements, the rules of claims, and open items."""
