"""Ratios to the bare libraries, all in one run: `python -m bench`. See docs/performance.md."""
