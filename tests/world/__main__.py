"""Play worlds: `python -m tests.world`, or `make world`. Exit code 1 if one has a violation, with its story and how to replay it.

--seeds 0:1000      which worlds
--seconds 60        end after so long
--limits orders=9,death=0.1   how much happens in a world, and how likely each harm is: `tests.world.world:Limits`
--workers 2         processes
--choices=0,1,2     replay one world (its seed in --seeds) with the choices that a failure printed
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from paywright_sandbox.init import make_folder
from tests.world.play import Failure, Played, limits_of, play_some, played, shrunk
from tests.world.world import MEMORY, Limits

__all__ = ["main"]

_PART = 20
"""Worlds that a process plays at a time."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Play the worlds of the arguments."""
    parser = argparse.ArgumentParser(prog="python -m tests.world", description="Play whole worlds, each from its seed.")
    parser.add_argument("--seeds", default="0:1000")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--limits", type=limits_of, default=Limits())
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--choices")
    given = parser.parse_args(arguments)
    limits = given.limits
    first, last = map(int, given.seeds.split(":"))
    begun = time.monotonic()
    with TemporaryDirectory(prefix="paywright-worlds-", dir=MEMORY) as made:
        folder = Path(made)
        make_folder(folder)
        if given.choices is not None:
            found = played(folder, first, limits, [int(one) for one in given.choices.split(",") if one])
            print(found.told(limits) if isinstance(found, Failure) else "\n".join([*found.story, "no violation"]))
            return int(isinstance(found, Failure))
        parts = [range(at, min(at + _PART, last)) for at in range(first, last, _PART)]
        done = Played()
        with ProcessPoolExecutor(given.workers, multiprocessing.get_context("spawn")) as pool:
            for job in [pool.submit(play_some, folder, part, limits, begun + given.seconds) for part in parts]:
                done += job.result()
                if done.failure is not None:
                    pool.shutdown(cancel_futures=True)
                    print(shrunk(folder, done.failure, limits).told(limits))
                    return 1
    print(
        f"{done.worlds:,} worlds, {done.worlds * limits.orders:,} orders, {done.exchanges:,} exchanges: no violation. "
        f"{done.passed / 86_400:,.0f} days passed in them, {done.passed / max(done.seconds, 1):,.0f} seconds in each of the processor's."
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
