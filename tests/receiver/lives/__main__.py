"""Walk the lives of items: `python -m tests.receiver.lives`. Exit code 1 if something is wrong, with the shortest life that shows it.

--depth 4           how many operations
--start placed      with what to begin, one of `walk.STARTS`, or operations
--kinds orders,refunds   which items there are; one each
--theirs            another buyer has an order of that number
--reconciles        there is a handler of conflicts
--most 100          end after so many different complaints
--seconds 600       end after so many seconds of the processor
--tell              only tell what becomes of each operation of the start
"""

from __future__ import annotations

import argparse
import logging
import math
import sys
import time

from tests.receiver.lives.variants import transcript
from tests.receiver.lives.walk import STARTS, Walked, a_story, told, walked


def main() -> int:
    """Walk as the arguments say."""
    parser = argparse.ArgumentParser(prog="python -m tests.receiver.lives")
    parser.add_argument("--depth", type=int, default=4)
    parser.add_argument("--most", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=math.inf)
    for option, usual in (("--start", "nothing"), ("--kinds", "orders")):
        parser.add_argument(option, default=usual)
    for option in ("--theirs", "--reconciles", "--tell"):
        parser.add_argument(option, action="store_true")
    given = parser.parse_args()
    logging.disable(logging.CRITICAL)
    name: str = given.start
    start, begun = STARTS.get(name, name), time.process_time()
    shown, told_of = 0, set[str]()

    def look(nth: int, found: Walked) -> bool:
        nonlocal shown
        seconds = time.process_time() - begun
        for why in found.wrong.keys() - told_of:
            print(f"{why}: {'; '.join(found.wrong[why])}", file=sys.stderr)
        told_of.update(found.wrong)
        if found.operations >= shown:
            shown = found.operations + 10_000
            counts = f"{found.states:,} states, {found.operations:,} operations, {len(found.wrong)} wrong"
            print(f"operation {nth} of {given.depth}: {counts}, {seconds:.0f} seconds", file=sys.stderr)
        return seconds > given.seconds

    with a_story(*given.kinds.split(","), theirs=given.theirs, reconciles=given.reconciles) as story:
        if given.tell:
            print(*transcript(story, told(start)), sep="\n")
            story.rest()
            return 0
        found = walked(story, given.depth, start, most=given.most, look=look)
    seconds = time.process_time() - begun
    print(f"{found} in {seconds:.1f} seconds of the processor, {found.operations / seconds:,.0f} a second")
    return int(bool(found.wrong))


if __name__ == "__main__":
    raise SystemExit(main())
