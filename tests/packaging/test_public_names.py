"""No public name or argument of a release is missed by a later one, unless its version may break it."""

from __future__ import annotations

import json
import lzma

import pytest

from paywright_runtime.version import VERSION
from tests.packaging.stored.public_names import broken, public_names
from tests.packaging.stored.world import FOLDER, RELEASES
from tests.support.contract import TOP


@pytest.mark.parametrize("release", RELEASES)
def test_what_is_public_stays_until_the_version_may_break_it(release: str) -> None:
    """Deprecate first, then raise the version."""
    before = json.loads(lzma.decompress((FOLDER / release / "public.json.xz").read_bytes()))
    assert len(before) > 1_000
    lost = list(broken(before, public_names()))
    assert unexcused(lost, release, VERSION, (TOP / "CHANGELOG.md").read_text(encoding="utf-8")) == []


def unexcused(lost: list[str], release: str, version: str, changelog: str) -> list[str]:
    """What is lost without a version that may break it, or without its name in the changelog."""
    return [one for one in lost if not may_break(release, version) or f"`{one.split()[0]}`" not in changelog]


def may_break(release: str, version: str) -> bool:
    """A major version may, and before 1.0 a minor one."""
    old, new = ([int(part) for part in text.split(".")] for text in (release, version))
    return old[: 1 + (old[0] == 0)] != new[: 1 + (old[0] == 0)]


def test_a_break_of_what_is_public_is_seen() -> None:
    before = {"p.Ledger": ["path", "?timeout"], "p.Ledger.list": ["self"], "p.open": ["path"], "extra.view": []}
    after = {
        "p.Ledger": ["path", "timeout", "clock"],
        "p.open": ["?path", "?mode"],
        "p.new": ["x"],
        "p.Ledger.check": [],
    }
    assert list(broken(before, before | {"p.open": ["?path", "?mode"]})) == []
    assert list(broken(before, after)) == ["p.Ledger needs timeout", "p.Ledger needs clock", "p.Ledger.list is gone"]
    assert list(broken(before, {"p.Ledger": ["path"]})) == ["p.Ledger takes no timeout any more", "p.open is gone"]
    assert [may_break("0.1.0", new) for new in ("0.1.9", "0.2.0", "1.0.0")] == [False, True, True]
    assert [may_break("1.2.0", new) for new in ("1.3.0", "2.0.0")] == [False, True]
    lost, said = ["p.open is gone"], "**Removed**: `p.open`; use `p.Ledger`."
    assert [unexcused(lost, "0.1.0", new, said) for new in ("0.1.1", "0.2.0")] == [lost, []]
    assert unexcused(lost, "0.1.0", "0.2.0", "") == lost
