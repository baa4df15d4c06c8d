"""The console's pages of the whole workspace: its merchants, its snapshots, and beginning anew."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from urllib.parse import quote

from paywright_runtime.signing.keys import fingerprint
from paywright_sandbox.control.snapshot_routes import holds
from paywright_sandbox.engine.context import Refused
from paywright_sandbox.engine.engine import Engine
from paywright_sandbox.engine.merchants import NUMBERS, SPELLED, RegisteredMerchant
from paywright_sandbox.engine.responses import Reply
from paywright_sandbox.engine.sections import Action, Input, labelled
from paywright_sandbox.engine.snapshots import counted
from paywright_sandbox.pages.actions import forms_of, making
from paywright_sandbox.pages.rendering import page
from paywright_sandbox.pages.view import View, number_of

__all__ = ["merchants_page", "reset_page", "snapshot_page", "snapshots_page"]

_API: Final = "control API"


def _view(engine: Engine, here: str, query: Mapping[str, str], path: str | None = None) -> View:
    since, done = number_of(query.get("since")), query.get("done")
    return engine.act(lambda context: View(engine, context, here, since, path=path, done=done))[0]


def merchants_page(engine: Engine, query: Mapping[str, str]) -> Reply:
    """Who is registered; those who were added can be removed."""
    book = engine.merchants
    rows = [(merchant, "") for merchant in book.registered]
    rows += [(added.merchant, added.aside or "") for added in book.set_aside]
    merchants = [
        {
            "merchant": merchant,
            "aside": aside,
            "numbers": _numbers(merchant),
            "addresses": sorted((labelled(SPELLED[name]), url) for name, url in merchant.addresses.items()),
            "key": fingerprint(merchant.public),
            "forms": forms_of(engine, _removing(merchant)),
        }
        for merchant, aside in rows
    ]
    view = _view(engine, "merchants", query)
    return page(
        "merchants.html",
        view=view,
        merchants=merchants,
        making=forms_of(engine, making(engine, "merchants", "Register a merchant")),
    )


def _numbers(merchant: RegisteredMerchant) -> list[tuple[str, str]]:
    named = (
        (labelled(SPELLED[name.replace("_", "-")]), merchant.numbers.get(name)) for name in NUMBERS if name != "app_id"
    )
    return [(name, value) for name, value in named if value]


def _removing(merchant: RegisteredMerchant) -> list[Action]:
    if merchant.origin != _API:
        return []
    return [Action(f"Remove {merchant.app_id}", f"merchants/{quote(merchant.app_id, safe='')}", "DELETE")]


def snapshots_page(engine: Engine, query: Mapping[str, str]) -> Reply:
    """Return the page of the snapshots that are kept, with the form that takes one and the way to a reset."""
    taking = Action(
        "Take a snapshot",
        "snapshots",
        inputs=(Input("name", "Name", hint="letters, digits, - and _; the next free snapshot-N without it"),),
        look="primary",
    )
    return page(
        "snapshots.html",
        view=_view(engine, "snapshots", query),
        snapshots=engine.snapshots.all(),
        taking=forms_of(engine, [taking]),
    )


def snapshot_page(engine: Engine, name: str, query: Mapping[str, str]) -> Reply | None:
    """One snapshot: what restoring it replaces, and the buttons. None if there is none of that name."""
    try:
        kept = engine.snapshots.find(name)
    except Refused:
        return None
    path = f"snapshots/{quote(kept.name, safe='')}"
    actions = [Action(f"Restore {kept.name}", f"{path}/restore", look="danger"), Action("Remove it", path, "DELETE")]
    return page(
        "snapshot.html",
        view=_view(engine, "snapshots", query, f"/_sandbox/console/{path}"),
        snapshot=kept,
        holds=counted(holds(engine)),
        forms=forms_of(engine, actions),
    )


def reset_page(engine: Engine, query: Mapping[str, str]) -> Reply:
    """Return the page that says what a reset takes away, with the button that does it."""
    actions = [Action("Reset the sandbox", "reset", look="danger")]
    there = holds(engine)
    if there["addedMerchants"]:
        keeping = {"keepMerchants": "true"}
        actions.append(Action("Reset, but keep the added merchants", "reset", fixed=keeping))
    view = _view(engine, "snapshots", query, "/_sandbox/console/reset")
    return page("reset.html", view=view, holds=counted(there), forms=forms_of(engine, actions))
