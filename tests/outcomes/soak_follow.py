"""Following at length: `python -m tests.outcomes.soak_follow`, or `make soak`. Exit code 1 if anything is open, twice or missing.

--count 100000     orders, three in ten of them refunded
--workers 2        runs at once, each with five processes
--seed soak        what all chance is drawn from
--refunds 2        seconds that a refund takes
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from paywright_sandbox.init import make_folder
from tests.outcomes.follow_experiment import REFUNDS, followed
from tests.outcomes.follow_tally import MOST_ABOVE, FollowTally

__all__ = ["main", "postgres"]

_SIZE: Final = 1000


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="soak_follow", description="Nothing stays open, whatever was lost on the way."
    )
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", default="soak")
    parser.add_argument("--refunds", type=int, default=REFUNDS // timedelta(seconds=1))
    given = parser.parse_args(arguments)
    started, totals = time.monotonic(), {"SQLite": FollowTally(), "PostgreSQL": FollowTally()}
    with TemporaryDirectory(prefix="paywright-soak-") as made, postgres() as server:
        make_folder(Path(made))
        with ProcessPoolExecutor(given.workers, multiprocessing.get_context("spawn")) as pool:
            going = []
            for number, size in enumerate(_sizes(given.count)):
                database = server if number % 2 else ""
                run = (size, f"{given.seed}:{number}", Path(made), database, timedelta(seconds=given.refunds))
                going.append((database, pool.submit(_run, *run)))
            for database, one in going:
                totals["PostgreSQL" if database else "SQLite"].add(one.result())
                total = sum(tally.orders for tally in totals.values())
                harm = {name: tally.harm for name, tally in totals.items() if tally.harm}
                seconds = time.monotonic() - started
                print(f"{seconds:6.0f} s {total:>9,} of {given.count:,} followed, {harm or 'no harm'}", flush=True)
    if not server:
        print("\nPostgreSQL was left out: its server or psycopg is not installed")
    used = {name: tally for name, tally in totals.items() if tally.orders}
    for name, tally in used.items():
        print(f"\n{name}: {tally.report()}")
    return 0 if all(not tally.harm and tally.above <= MOST_ABOVE for tally in used.values()) else 1


def _sizes(count: int) -> Iterator[int]:
    for done in range(0, count, _SIZE):
        yield min(_SIZE, count - done)


def _run(size: int, seed: str, folder: Path, database: str, refunds: timedelta) -> FollowTally:
    return followed(size, seed, folder, database, refunds=refunds)


@contextmanager
def postgres() -> Iterator[str]:
    """The connection string of a PostgreSQL server, or "" where there is none."""
    try:
        from tests.receiver.helpers.postgres_server import programs, running_postgres
    except ImportError:
        yield ""
        return
    found = programs()
    if found is None:
        yield ""
        return
    with running_postgres(found) as server:
        yield server.conninfo()


if __name__ == "__main__":
    raise SystemExit(main())
