"""Walk the lives of items: `python -m tests.receiver.lives`. Exit code 1 if something is wrong, with the shortest life that shows it.

--depth 4           how many operations
--start placed      with what to begin, one of `walk.STARTS`, or operations
--kinds orders,refunds   which items there are; one each
--theirs            another buyer has an order of that number
--reconciles        there is a handler of conflicts
--most 100          end after so many different complaints
--tell              tell the operations of the start, and what becomes of them
"""

from __future__ import annotations

import argparse
import logging
import time

from tests.receiver.lives.merchant import Wrong
from tests.receiver.lives.walk import STARTS, a_story, told, walked


def main() -> int:
    """Walk as the arguments say."""
    parser = argparse.ArgumentParser(prog="python -m tests.receiver.lives")
    parser.add_argument("--depth", type=int, default=4)
    parser.add_argument("--start", default="nothing")
    parser.add_argument("--kinds", default="orders")
    parser.add_argument("--theirs", action="store_true")
    parser.add_argument("--reconciles", action="store_true")
    parser.add_argument("--most", type=int, default=100)
    parser.add_argument("--tell", action="store_true")
    given = parser.parse_args()
    logging.disable(logging.CRITICAL)
    start, kinds, begun = STARTS.get(given.start, given.start), given.kinds.split(","), time.process_time()
    with a_story(*kinds, theirs=given.theirs, reconciles=given.reconciles) as story:
        if given.tell:
            return tell(story, start)
        found = walked(story, given.depth, start, most=given.most)
    seconds = time.process_time() - begun
    print(f"{found} in {seconds:.1f} seconds of the processor, {found.operations / seconds:,.0f} a second")
    return int(bool(found.wrong))


def tell(story: object, start: str) -> int:
    """Tell one life."""
    from tests.receiver.lives.operations import Story

    assert isinstance(story, Story)
    do = story.do

    def told_aloud(name: str) -> str:
        came = do(name)
        items = [
            one
            and (
                one.status,
                one.step,
                one.state,
                one.effect,
                one.due_at and str(one.due_at - story.clock.now()),
                one.why,
            )
            for one in story.items.values()
        ]
        print(f"{name:32} {came:20} {items} {[(one.key, one.status) for one in story.ledger.list()]}")
        return came

    story.do = told_aloud  # type: ignore[method-assign]
    try:
        for name in told(start):
            story.do(name)
        print("and then, at rest:")
        story.rest()
    except Wrong as wrong:
        print(f"WRONG: {wrong}")
        return 1
    print("nothing is wrong")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
