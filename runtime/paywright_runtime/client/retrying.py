"""Decide whether an attempt may be repeated, of a write only if none of its body was sent, and after what delay; `call_flow` counts."""

from typing import Final

_FIRST_PAUSE: Final = 0.1
_LONGEST_PAUSE: Final = 2.0
WORTH_TRYING: Final = 0.05
"""Seconds: with less time left, another attempt could only time out."""
_BUDGET: Final = 20.0
_SHORTEST_SHARE: Final = 5.0
_FINAL: Final = ("redirect", "proxy_refused", "defect")  # reasons that another attempt cannot change


class RetryBudget:
    """Limit on the retries of a client, so that it does not multiply the load on a gateway in trouble.

    A retry takes 1, an answered call gives back 0.1, up to 20. Threads may share it: a race loses a tenth of a retry.
    """

    left: float = _BUDGET

    def allows(self) -> bool:
        """Return whether another retry may be made."""
        return self.left >= 1.0

    def spend(self) -> None:
        """Take one retry out of the budget."""
        self.left = max(0.0, self.left - 1.0)

    def give_back(self) -> None:
        """Return a tenth of a retry to the budget, after an answered call."""
        if self.left < _BUDGET:
            self.left = min(_BUDGET, self.left + 0.1)


def may_retry(*, write: bool, sent: bool, reason: str) -> bool:
    """Return whether an attempt that failed for this reason may be repeated: a write only if no byte of its body was sent."""
    return not (write and sent) and reason not in _FINAL


def share_of(start: float, deadline: float, attempts: int) -> float:
    """Return the deadline of an attempt that began at `start` and leaves time for `attempts` more; on `time.monotonic()`."""
    left = deadline - start
    return start + min(left, max(left / (attempts + 1), _SHORTEST_SHARE))


def delay_after(number: int, request: bytes) -> float:
    """Return the delay in seconds after attempt `number` (from 1): doubling up to two seconds, and shortened by up to a half.

    Requests differ in time and key, and so does by how much it is shortened: clients do not come back all at once. The same
    clock gives the same delay.
    """
    from hashlib import sha256  # most programs never try again

    longest = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2.0 ** (number - 1))
    return longest * (1 - int.from_bytes(sha256(request).digest()[:4], "big") / 2**33)
