"""Show a progress bar while the audit reads, on a terminal and if rich is installed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec

__all__ = ["watched"]


@contextmanager
def watched(total: int) -> Iterator[Callable[[int], None] | None]:
    """Yield a function that takes the number of bytes read since its last call; None without a progress bar.

    `total` is the number of bytes, 0 if unknown.
    """
    if not sys.stderr.isatty() or find_spec("rich") is None:
        yield None
        return
    console = import_module("rich.console").Console(stderr=True)
    bars = import_module("rich.progress")
    columns = (
        bars.TextColumn("audit"),
        bars.BarColumn(),
        bars.DownloadColumn(),
        bars.TransferSpeedColumn(),
        bars.TimeRemainingColumn(),
    )
    with bars.Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("audit", total=total or None)
        yield lambda count: bar.update(task, advance=count)
