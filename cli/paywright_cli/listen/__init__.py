"""`paywright listen`: a real receiver on this machine that prints webhooks and can forward them."""
