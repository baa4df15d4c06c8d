"""Run once more, alone, what failed in a run of the whole suite: `python -m tests.support.again STATUS`.

A fault of the code fails twice. What fails among thousands of tests on a busy machine and passes alone is a fault too, of
the test or of the code, but one that no later run can be held up by: it is named at the end, to be mended (decision 0033).
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Final

MOST: Final = 3
"""More failures than these are no accident, and are not tried again."""
_TESTS_FAILED: Final = 1  # pytest's exit status if all was collected and run, and some tests failed
_CACHE: Final = Path(".pytest_cache/v/cache/lastfailed")


def run_again(status: int, cache: Path = _CACHE) -> int:
    """Run the tests again that `cache` lists, one after the other in this process's place.

    `status` is the exit status of the first run. Returns 0 if every test passed this time; otherwise, and if more than
    `MOST` tests failed or the run itself failed, a status that is not 0.
    """
    if status != _TESTS_FAILED or not cache.is_file():
        return status
    failed = sorted(json.loads(cache.read_text(encoding="utf-8")))
    if not failed or len(failed) > MOST or any("::" not in name for name in failed):
        return status
    print(f"Running again, alone: {', '.join(failed)}", flush=True)
    second = subprocess.run([sys.executable, "-m", "pytest", "-n0", "-v", *failed], check=False).returncode
    if second:
        return second
    print("UNSTEADY: these failed among the others and passed alone. Find out why, and mend it:", flush=True)
    for name in failed:
        print(f"  {name}")
    return 0


if __name__ == "__main__":
    sys.exit(run_again(int(sys.argv[1])))
