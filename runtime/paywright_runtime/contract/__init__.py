"""The contract at run time: operations, fields, rules and states as values; validation and conversion."""
