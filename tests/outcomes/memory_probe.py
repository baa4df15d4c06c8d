"""How much memory calls take whose answers are bombs, measured in a process of its own."""

from __future__ import annotations

from pathlib import Path

from paywright import Client, Merchant, PaywrightError
from tests.support.memory import kilobytes

__all__ = ["CAN_MEASURE", "peak_growth"]

_CLEAR = Path("/proc/self/clear_refs")
CAN_MEASURE = _CLEAR.exists()


def peak_growth(url: str, private_pem: str, public_pem: str, calls: int) -> tuple[int, list[str]]:
    """Kilobytes by which the peak grows over what a first call of the same kind left, and how the calls ended."""
    merchant = Merchant(app_id="app_1", private_key=private_pem, gateway_keys=[public_pem])
    ended = []
    with Client(base_url=url, merchant=merchant, timeout=3000, retries=0) as client:
        try:
            client.orders.query(out_trade_no="first")  # imports what a call needs; the server answers this one in short
        except PaywrightError as error:
            ended.append(getattr(error, "reason", ""))
        _CLEAR.write_text("5")  # the peak begins anew
        before = kilobytes("VmRSS")
        for number in range(calls):
            try:
                client.orders.query(out_trade_no=f"bomb_{number}")
            except PaywrightError as error:
                ended.append(getattr(error, "reason", ""))
        return kilobytes("VmHWM") - before, ended
