"""`paywright listen`: a real receiver on this machine that shows what comes, and can pass it on."""
