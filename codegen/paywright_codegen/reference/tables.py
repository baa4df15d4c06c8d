"""Pages of the reference: words and marks of Markdown, the page and anchor that define each part, links to it, and tables of fields."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from posixpath import dirname, relpath
from typing import Final, Literal

from paywright_codegen.lookup import settled_by
from paywright_codegen.model import rules as model
from paywright_codegen.model.cited import Cited
from paywright_codegen.model.contract import Contract, Limit
from paywright_codegen.model.operations import MessageSpec, Operation
from paywright_codegen.model.types import Field, Struct, TypeRef
from paywright_codegen.naming import variable
from paywright_codegen.python_types import Directions, argument_type, model_line
from paywright_codegen.reader.document import without_questions
from paywright_codegen.render.views.doc_text import argument_words, joined


def fenced(text: str, language: str) -> Iterator[str]:
    """Lines of a code block."""
    yield f"```{language}"
    yield from text.rstrip("\n").split("\n")
    yield "```"


def code(text: str) -> str:
    """Text as code within a line."""
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def row(*cells: str) -> str:
    """Row of a table."""
    return f"| {' | '.join(cell.replace('|', chr(92) + '|').replace(chr(10), ' ') for cell in cells)} |"


def table(columns: Sequence[str], rows: Iterable[str]) -> Iterator[str]:
    """Lines of a table, with its head."""
    yield from (row(*columns), row(*("---" for _ in columns)), *rows)


_SPANS = ((86400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))


def duration(seconds: int) -> str:
    """Return a span of time in its largest whole unit: `180 days`."""
    span, unit = next((span, unit) for span, unit in _SPANS if seconds % span == 0)
    count = seconds // span
    return f"{count} {unit}{'s' if count != 1 else ''}"


def sections(numbers: Sequence[str]) -> str:
    """Return `section 4.13` or `sections 4.13 and 8`; "" if there are none."""
    return f"section{'s' if len(numbers) > 1 else ''} {joined(numbers)}" if numbers else ""


def _at(path: model.Path) -> str:
    return code(".".join(path))


def amount_of(member: model.Path, currency: model.Path) -> str:
    """Return the member with an amount, and the one with its currency."""
    return f"{_at(member)} in the currency {_at(currency)}"


def limit_words(limit: Limit) -> str:
    """Return a limit in words."""
    return f"{limit.decimals} decimals" if limit.seconds is None else duration(limit.seconds)


@dataclass(frozen=True, slots=True)
class Meaning:
    """Proof that a code is in an answer, and what to do."""

    proves: str
    do: str


_SUCCESS = "The request itself succeeded. It says nothing of the state."
_NOTHING_HAPPENED = "Nothing happened: this call moved no money. Raises `GatewayError`."
_REFUSED = "The query was refused. Raises `GatewayError`."
_REPEAT = (
    "Correct what it names, or wait where it asks for time, and call again: the same content keeps its key, other content takes a new one. "
    "An earlier call with the key has an outcome of its own."
)
_CLOCK = "Set the clock of this machine: the error says by how much it is off. Then repeat the call."
_PLACED = Meaning(
    "An earlier call used this key, so money may have moved. Raises `AlreadyPlaced`.",
    "Settle the earlier call with the resolver. Do not take a new key.",
)
_ABSENT = "The gateway knows no such key now. Raises `GatewayError`."


def codes_of(contract: Contract, operation: Operation) -> Iterator[tuple[str, Meaning]]:
    """Yield the codes that the contract lists for an operation, success first, with their meanings."""
    if operation.succeeds is not None and not operation.inbound:
        yield operation.succeeds[1], Meaning(_SUCCESS, "Read the state in the answer.")
    for code in operation.refuses:
        proves = _NOTHING_HAPPENED if operation.write else _REFUSED
        do = _REPEAT if operation.write else "Put right what the message names, and ask again."
        if code in operation.stale:
            proves, do = f"The time of the request is too old or too new. {proves}", _CLOCK
        yield code, Meaning(proves, do)
    yield from ((code, _PLACED) for code in operation.repeats)
    settles = (
        "Check the key. It does not prove that a lost write did nothing: the resolver says what is allowed, and when."
    )
    do = settles if settled_by(contract, operation) else "Check what the query asks for."
    yield from ((code, Meaning(_ABSENT, do)) for code in operation.absent)


def other_codes(operation: Operation) -> Meaning:
    """Return what every code means that the contract does not list for an operation."""
    if operation.write:
        return Meaning("Nothing. Money may have moved. Raises `OutcomeUnknown`.", "Settle the call with the resolver.")
    return Meaning(_REFUSED, "Read the code and its message.")


def all_codes(contract: Contract) -> dict[str, dict[Meaning, list[str]]]:
    """Return every code with its meanings, and the operations in which it has each."""
    found: dict[str, dict[Meaning, list[str]]] = {}
    for operation in contract.operations.values():
        if not operation.inbound:
            for code, meaning in codes_of(contract, operation):
                found.setdefault(code, {}).setdefault(meaning, []).append(operation.name)
    return dict(sorted(found.items(), key=lambda item: (item[0].isdecimal(), item[0])))


ROLES = {"request": "request", "response": "answer", "notification": "notification", "answer": "answer"}
"""The word for a message, by its role in the contract."""
Kind = Literal["code", "format", "limit", "question", "set"]
_PAGES: Final[dict[Kind, str]] = {
    "code": "codes.md", "format": "limits.md", "limit": "limits.md", "question": "questions.md", "set": "states.md",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Home:
    """The place of a definition: a page, by its path under the reference, and an anchor in it ("" for the whole page)."""

    page: str
    anchor: str = ""

    def seen_from(self, page: str) -> str:
        """Return the target of a link from a page."""
        where = "" if page == self.page else relpath(self.page, dirname(page) or ".")
        return f"{where}#{self.anchor}" if self.anchor else where


def slug(heading: str) -> str:
    """Return the anchor that Markdown gives a heading."""
    return re.sub(r"[^\w -]", "", heading.replace("`", "").lower()).replace(" ", "-")


def title_of(struct: Struct) -> str:
    """Return the heading above a struct: its name, or which message or member it is."""
    if struct.named:
        return struct.name
    role, *member = struct.name.split(".")[2:]
    return f"`{member[0]}` of the {ROLES[role]}" if member else f"The whole {ROLES[role]}"


class Homes:
    """The homes of a contract's parts. An object that one operation alone uses is defined on its page, others on `objects.md`."""

    def __init__(self, contract: Contract) -> None:
        self._contract = contract
        self.users: dict[str, tuple[str, ...]] = {}
        for operation in contract.operations.values():
            for struct in self.structs_of(operation):
                self.users[struct.name] = (*self.users.get(struct.name, ()), operation.name)

    def structs_of(self, operation: Operation) -> tuple[Struct, ...]:
        """Return every struct that the messages of an operation reach, each once, in the order of reading."""
        return tuple({one.name: one for message in operation.messages for one in self.structs_in(message)}.values())

    def structs_in(self, message: MessageSpec) -> tuple[Struct, ...]:
        """Return every struct that a message reaches."""
        result = () if message.result is None else (self._contract.struct_named(message.result),)
        return tuple(self._contract.reached_from(message.root, *result).values())

    def named(self, kind: Kind, name: str) -> Home:
        """Return the home of a value list, a code, a limit, a format of text or an open question."""
        return Home(_PAGES[kind], f"format.{name}" if kind == "format" else slug(name))

    def operation(self, name: str, anchor: str = "") -> Home:
        """Return the page of an operation or a notification, shown or seen elsewhere, or a place on it."""
        operation = self._contract.operations.get(name)
        folder = "notifications" if operation is None or operation.inbound else "operations"
        return Home(f"{folder}/{name}.md", anchor)

    def struct(self, name: str) -> Home:
        """Return the home of a struct."""
        users = self.users.get(name, ())
        if name in self._contract.structs and len(users) != 1:
            return Home("objects.md", name)
        struct = self._contract.struct_named(name)
        return Home(self.operation(users[0]).page, name if struct.named else slug(title_of(struct)))

    def part(self, struct: Struct, name: str) -> Home:
        """Return the home of a field or a rule of a struct: its name, behind that of the struct, `request` or `request.data`."""
        inside = struct.name if struct.named else struct.name.removeprefix(f"{self.users[struct.name][0]}.")
        return Home(self.struct(struct.name).page, f"{inside}.{name}")

    def type(self, ref: TypeRef) -> Home | None:
        """Return the home of a type; None for a builtin."""
        if ref.kind in ("set", "format"):
            return self.named("set" if ref.kind == "set" else "format", ref.name)
        return self.struct(ref.name) if ref.kind == "struct" else None


_MARKED = re.compile(r"([<*])")
_DEFAULT = re.compile(r" = .*$")
_SOURCES = {
    "operation": "the version of the operation",
    "clock": "the time of the call",
    "signature": "the signature",
    "digits": "random digits, other ones in every attempt",
}
_REDACTED = {
    mark: f" Never shown in messages and logs: {what}."
    for mark, what in (("secret", "a credential"), ("pan", "a card number"), ("pii", "personal data"))
}
_COLUMNS = ("Field", "Python", "Type", "Need", "Limits and meaning")

Lines = Iterator[str]
"""Lines of a page. Several empty ones in a row become one."""


def head(title: str, source: str = "the contract") -> Lines:
    """Yield the beginning of a page."""
    yield from (f"<!-- Written by `make docs` from {source}; never edited by hand. -->", "", f"# {title}", "")


def section(title: str, lines: Iterable[str]) -> Lines:
    """Yield a section of a page; nothing if it has no lines."""
    found = list(lines)
    yield from ("", f"## {title}", "", *found) if found else ()


def anchored(home: Home, text: str) -> str:
    """Return text that defines something: links to `home` lead here."""
    return f'<a id="{home.anchor}"></a>{text}'


def prose(text: str) -> str:
    """Return words of the contract for Markdown, which they cannot change."""
    return _MARKED.sub(r"\\\1", text)


class Page:
    """A page of the reference: its links, and the tables of the messages and objects on it."""

    def __init__(self, contract: Contract, homes: Homes, page: str) -> None:
        self.page = page
        self._contract = contract
        self._homes = homes
        self._directions = contract.once(Directions)

    def _link(self, text: str, home: Home) -> str:
        return f"[{code(text)}]({home.seen_from(self.page)})"

    def _operations(self, *names: str) -> str:
        return joined(self._link(name, self._homes.operation(name)) for name in names)

    def _to(self, kind: Kind, name: str) -> str:
        return self._link(name, self._homes.named(kind, name))

    def _asked(self, part: Cited) -> str:
        """Return links to the open questions of a part; "" if it has none."""
        names = dict.fromkeys(part.open_questions)
        return f" Open: {joined(self._to('question', name) for name in names)}." if names else ""

    def _headers(self, message: MessageSpec) -> Lines:
        homes = (
            self._homes.operation(message.operation, f"{message.role}.header.{field.wire}") for field in message.headers
        )
        headers = zip(homes, message.headers, strict=True)
        rows = [self._row(home, field, "", self._filled(field), sent=True) for home, field in headers]
        return self._part(f"Headers of the {ROLES[message.role]}", "", rows)

    def _message_table(self, operation: Operation, message: MessageSpec, struct: Struct) -> Lines:
        """Return the table of a message's root, or of the member with the operation's own fields."""
        sent = message is operation.asks and not operation.inbound
        around = struct is message.root and message.payload is not None and not struct.named
        text = f"The client writes all but the member `{message.payload}`." if around and sent else ""
        rows = []
        for field in struct.fields:
            home, filled = self._homes.part(struct, field.wire), self._filled(field) if sent else ""
            given = f"{variable(field.wire)}: {argument_type(self._contract, field)}"
            rows.append(self._row(home, field, "" if around or field.filled else given, filled, sent=sent))
        return self._part(title_of(struct), text, rows, self._rule_lines(struct))

    def _part(
        self, title: str, text: str, rows: Sequence[str], rules: Iterable[str] = (), anchor: str = "", level: int = 3
    ) -> Lines:
        """Yield a table of fields with its heading and rules; nothing if it has no rows, unless it has an anchor."""
        if rows or anchor:
            yield from ("", f'<a id="{anchor}"></a>', "") if anchor else ("",)
            yield from (f"{'#' * level} {title}", "", text, "", *(table(_COLUMNS, rows) if rows else ()), "", *rules)

    def _object(self, struct: Struct) -> tuple[str, list[str], Lines]:
        """Return the words, rows and rules of a named object, which is a class in Python."""
        rows, sent = [], struct.name in self._directions.sent
        for field in struct.fields:
            line = model_line(self._contract, struct, field, variable(field.wire), self._directions)
            home, filled = self._homes.part(struct, field.wire), self._filled(field) if sent else ""
            rows.append(self._row(home, field, _DEFAULT.sub("", line), filled, sent=sent))
        return f"{prose(struct.prose.text)}{self._asked(struct)}", rows, self._rule_lines(struct)

    def _rule_lines(self, struct: Struct) -> Lines:
        for rule in struct.rules:
            home, said = self._homes.part(struct, rule.id), code(without_questions(rule.text)[0])
            more = "" if rule.checked else " Nothing checks this, because no field shows the case."
            yield f"- {anchored(home, code(rule.id))}: {said}.{more}{self._asked(rule)}"

    def _row(self, home: Home, field: Field, python: str, filled: str, *, sent: bool) -> str:
        words = [filled, prose(argument_words(self._contract, field, sent=sent and not field.filled))]
        meaning = "; ".join(filter(None, words))
        return row(
            anchored(home, code(field.wire)),
            code(python) if python else "",
            self._type(field),
            "required" if field.required else "optional",
            f"{meaning}{_REDACTED.get(field.redaction or '', '')}{self._asked(field)}".strip(),
        )

    def _type(self, field: Field) -> str:
        home = self._homes.type(field.type)
        name = "object" if "." in field.type.name else field.type.name
        one = name if home is None else self._link(name, home)
        return f"list of {one}" if field.type.array else one

    def _filled(self, field: Field) -> str:
        if field.fixed or field.sends is not None:
            return f"filled in: {code(field.sends or field.values[0])}"
        if field.source is None:
            return ""
        source, _, name = field.source.partition(".")
        return f"filled in: {f'`Merchant({name}=...)`' if source == 'merchant' else _SOURCES.get(source, source)}"
