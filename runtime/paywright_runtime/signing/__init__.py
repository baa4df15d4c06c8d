"""Keys and signatures: RSA with SHA-256 [5], and the forms of the SNAP calls [4.17]."""
