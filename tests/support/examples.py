"""How many examples Hypothesis draws: all of them, a fifth for `make test` (`--hypothesis-profile few`), or ten times as many for `make fuzz` (`many`)."""

from __future__ import annotations

from typing import Any, Final

from hypothesis import HealthCheck, settings

_ALL: Final = 100
# How long an example takes, or takes to be drawn, says how busy the machine is. A fixture is the same for all examples of a
# test here, and is meant to be.
_FINE: Final = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]


def register_profiles() -> None:
    """Register `whole`, `few` and `many`, and load `whole`. All draw anew in every run, where Hypothesis would not in CI too."""
    default = settings.get_profile("default")
    for name, count in (("whole", _ALL), ("few", _ALL // 5), ("many", _ALL * 10)):
        settings.register_profile(
            name, parent=default, max_examples=count, deadline=None, derandomize=False, print_blob=True,
            suppress_health_check=_FINE,
        )  # fmt: skip
    settings.load_profile("whole")


def examples(count: int, **more: Any) -> settings:
    """Make settings for `count` examples, or the profile's share of them; `more` as for `hypothesis.settings`."""
    return settings(max_examples=max(1, count * settings().max_examples // _ALL), **more)
