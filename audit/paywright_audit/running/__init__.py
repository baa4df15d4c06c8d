"""Run an audit: in one process or in several."""
