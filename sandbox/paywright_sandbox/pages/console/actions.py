"""Forms of the console, which call routes of the control API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import unquote

from paywright_runtime import strict_json
from paywright_sandbox.control.api import routes_of
from paywright_sandbox.control.clock_advance import last_event
from paywright_sandbox.engine.engine import Engine
from paywright_sandbox.engine.request_checks import Headers
from paywright_sandbox.engine.responses import HttpReply
from paywright_sandbox.engine.routes import PREFIX, Call, Route, find, read_fields
from paywright_sandbox.engine.state.refusal import Refusal
from paywright_sandbox.pages.console.columns import Action, Input, labelled
from paywright_sandbox.pages.html.forms import form_token, read_form
from paywright_sandbox.pages.html.rendering import message, redirect

__all__ = ["Form", "act", "forms_of", "making"]

_DO: Final = "/_sandbox/console/do/"
_HOME: Final = "/_sandbox/"


class Form:
    """The form of an action, with its address and its token."""

    __slots__ = ("action", "address", "token")

    def __init__(self, engine: Engine, action: Action) -> None:
        self.action: Action = action
        self.address: str = f"{_DO}{action.method}/{action.path}"
        self.token: str = form_token(engine.settings.signer, self.address)


def forms_of(engine: Engine, actions: Sequence[Action]) -> list[Form]:
    """Return the forms of the actions that the control API has."""
    return [
        Form(engine, action)
        for action in actions
        if find(routes_of(engine), action.method, PREFIX + action.path).route is not None
    ]


def making(engine: Engine, path: str, label: str) -> list[Action]:
    """Return the actions for the control API's POST of a path; empty if there is none."""
    route = find(routes_of(engine), "POST", PREFIX + path).route
    if route is None or route.variables:
        return []
    inputs = tuple(
        Input(
            field.name,
            labelled(field.name),
            choices=field.choices,
            required=field.required,
            hint=field.summary,
        )
        for field in route.fields
        if field.kind not in ("object", "array")
    )
    return [Action(label or route.summary, path, inputs=inputs, look="primary")]


def act(engine: Engine, path: str, headers: Headers, body: bytes) -> HttpReply:
    """Run the action of a form, and redirect to its page, which shows the effects. Raises `FormProblem`."""
    fields = dict(read_form(engine.settings.signer, path, headers, body))
    back = _own(fields.pop("next", ""))
    method, _, rest = path.removeprefix(_DO).partition("/")
    found = find(routes_of(engine), method, PREFIX + rest)
    if found.route is None:
        return message(404, "There is no such action", "Load the page again.", back=back)
    with engine.transaction() as context:
        before = last_event(context.state)
    try:
        given = read_fields(found.route, strict_json.write(_typed(found.route, fields)))
        answer = found.route.handler(engine, Call(found.variables, given))
    except Refusal as refused:
        return message(409, "The request was refused", refused.msg, back=back)
    if isinstance(answer, HttpReply) and answer.status >= 400:
        return message(answer.status, "The request was refused", answer.body.decode("utf-8", "replace"), back=back)
    return redirect(f"{back}?since={before}")


def _typed(route: Route, fields: Mapping[str, str]) -> dict[str, object]:
    """Convert form fields to the types of the route, without empty ones."""
    kinds = {field.name: field.kind for field in route.fields}
    typed: dict[str, object] = {}
    for name, value in fields.items():
        if not value.strip():
            continue
        text = value.strip()
        kind = kinds.get(name)
        if kind == "integer" and text.isascii() and text.isdigit() and len(text) < 16:
            typed[name] = int(text)
        elif kind == "boolean" and text in ("true", "false"):
            typed[name] = text == "true"
        else:
            typed[name] = text
    return typed


def _own(path: str) -> str:
    """Return a console page to go back to; the front page if the path is not one."""
    plain = path.isascii() and path.isprintable() and not set(path) & set("\\?# ")
    return path if plain and path.startswith("/_sandbox/console/") and ".." not in unquote(path) else _HOME
