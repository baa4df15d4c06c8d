"""All benchmarks in one run, as a table of ratios with their goals. Missing a goal is a result, not a failure."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from bench.figures import Figure

PARTS = {
    "call": "A whole signed call",
    "bursts": "Bursts",
    "imports": "Importing",
    "validators": "Validators",
    "receiving": "Receiving",
    "writing": "Receiving, with a handler that writes",
    "following": "Following",
    "otel": "Traces and metrics",
    "sandbox": "The sandbox",
    "audit": "The audit",
    "generation": "Generating",
}


def main(arguments: Sequence[str]) -> int:
    """Run the parts that are named, or all. Returns 0 unless one could not run."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"any of {', '.join(PARTS)}; all by default")
    parser.add_argument("--quick", action="store_true", help="few rounds: half a minute, and rough")
    chosen = parser.parse_args(arguments)
    unknown = [part for part in chosen.parts if part not in PARTS]
    if unknown:
        parser.error(f"there is no part {unknown[0]!r}; there are {', '.join(PARTS)}")
    failed = False
    for part in chosen.parts or PARTS:
        try:
            figures = cast("Callable[..., Sequence[Figure]]", import_module(f"bench.{part}").figures)
            print(import_module("bench.figures").table(PARTS[part], figures(quick=chosen.quick)), "\n", flush=True)
        except Exception as error:  # the other parts still run
            what = "Install with: pip install -e '.[audit,sandbox,bench]'" if isinstance(error, ImportError) else ""
            print(f"{PARTS[part]}: could not run: {type(error).__name__}: {error}. {what}", file=sys.stderr)
            failed = True
    return 1 if failed else 0
