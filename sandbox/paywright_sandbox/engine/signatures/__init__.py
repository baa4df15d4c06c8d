"""Why a signature does not hold, and the signatures of SNAP."""
