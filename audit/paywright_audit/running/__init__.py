"""Run an audit: in one process, in several, over batches, or part by part."""
