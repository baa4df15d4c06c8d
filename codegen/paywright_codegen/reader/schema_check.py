"""Check a contract file against the grammar, as the schema that editors have says it: sections, their keys, text or entries."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from jsonschema import Draft7Validator
from jsonschema.exceptions import ValidationError

from paywright_codegen.model.cited import SourcePlace
from paywright_codegen.problems import Problem, meant
from paywright_codegen.reader.document import Document, TreeEntry, plain
from paywright_codegen.reader.grammar import FILE, Block, Node, pattern

Schema = dict[str, object]

_SCALARS = ("string", "number", "boolean")  # editors read 1.0 as a number


def editor_schema() -> Schema:
    """Return the JSON Schema of one contract file, for editors too: `title` and `description` say what stands at each key."""
    return {"$schema": "http://json-schema.org/draft-07/schema#", **_schema(FILE)}


def _schema(node: Node) -> Schema:
    said: Schema = {"title": node.title, "description": node.do}
    text = node.text if isinstance(node, Block) else node
    types = [] if text is None else [*(_SCALARS if text.prose else _SCALARS[:1])]
    if text is not None:
        said |= {"minLength": 1, **({"pattern": pattern(text)} if text.form else {})}
    said["type"] = [*types, "object"] if isinstance(node, Block) else types
    if not isinstance(node, Block):
        return said
    if node.name is not None and node.each is not None:
        said["propertyNames"] = {"title": node.name.title, "description": node.name.do, "pattern": pattern(node.name)}
        return said | {"additionalProperties": _schema(node.each), **node.beside}
    keys = {key: _schema(inner) for key, inner in node.keys.items()}
    return said | {"additionalProperties": False, "required": node.required, "properties": keys, **node.beside}


@cache
def _validator() -> Draft7Validator:
    return Draft7Validator(editor_schema())


def shape_problems(document: Document) -> list[Problem]:
    """Return where a file does not match the schema."""
    tree = plain(document.block)
    problems: list[Problem] = []
    for error in _validator().iter_errors(tree):
        problems += _worded(error, document)
    unsaid = [problem for section in document.block for problem in _unsaid(section, section.key.text)]
    lines = {problem.place for problem in unsaid}
    return [*(problem for problem in problems if problem.place not in lines), *unsaid]


_CALL, _ANY = r"(?:operations|notifications)/[^/]+", r"(?:envelopes|operations|notifications)/[^/]+"
_HEADER = rf"{_ANY}/(?:with )?(?:response )?headers"
_PATH = "the path of a call is the same for every call"
_MEMBERS = rf"(?:types/[^/]+|{_ANY}/(?:with )?(?:request|response|notification|answer))"
_SEGMENT = "[A-Za-z0-9_~-][A-Za-z0-9._~-]*"
# The path of a key and its text, what the language does not say, and what to do.
_UNSAID: tuple[tuple[str, str, str, str], ...] = (
    (f"{_CALL}/(get|put|patch|delete)", ".*", "every call is a POST", "ask for an address of POST"),
    (f"{_CALL}/post", r"\S*(\{|/:).*", f"the language has no keys in paths: {_PATH}", "ask for an address without one"),
    (f"{_CALL}/post", r"/\S*\?\S+=.*", f"the language has no queries: {_PATH}", "write the parameters as fields of the body"),
    (f"{_CALL}/post", rf"/(?!{_SEGMENT}(/{_SEGMENT})*/?( \?\S+)*$).*",
     "a path is made of letters, digits and `-._~` between single slashes", "correct the address"),
    (f"{_HEADER}/(?i:content-type)!?", r"\S+ (?:.* )?sends (?!(?i:application/json)).*", "every message is JSON", "write `sends application/json`"),
    (f"{_HEADER}/(?i:[\\w-]*idempotency[\\w-]*)!?", r"\S+ (?:.* )?from digits.*",
     "digits are other ones in every attempt, and the language has no key of a call in a header",
     "leave the header out, and write the key of the call in its body, with `key:`"),
    (rf"{_MEMBERS}/([0-9_@$][\w.@$-]*|[A-Za-z][\w-]*[.@$][\w.@$-]*)!?", ".*",
     "the name of a member becomes one of Python's: letters, digits, `_` and `-`, a letter first",
     "leave it out: `extra=` sends it and `answer.raw` has it, or write the object around it as `object`"),
    ("envelopes/[^/]+/(status|http)", ".*", "every answer has the status 200, and its code in the body", "remove the line"),
    (f"{_ANY}/succeeds", r"\S+ (in .*|is \S+ [^?].*)", "one value of one field means yes", "name that one, and the others in a question"),
    ("envelopes/[^/]+/payload", r"[\w-]+[.].*", "the operation's own fields stand one level down",
     "write the level between as an object of each request"),
    (f"{_CALL}/(response|request|answer|notification)", r"\w+\[\].*", "every message is an object", "name a type that has the array"),
    ("operations/[^/]+/key", r"[\w-]+ (?!ignoring|\?)\S+.*", "a write has one key", "name the field that no two writes share"),
)  # fmt: skip


def _unsaid(entry: TreeEntry, path: str) -> Iterator[Problem]:
    """Find what other gateways have and the language does not say; `docs/contract.md` lists it all."""
    found = next((one for one in _UNSAID if re.fullmatch(one[0], path) and re.fullmatch(one[1], entry.text)), None)
    if found is not None:
        yield Problem(entry.place, f"`{entry.key.text}: {entry.text}`: {found[2]}", found[3])
    for inner in entry.block:
        yield from _unsaid(inner, f"{path}/{inner.key.text}")


def _worded(error: ValidationError, document: Document) -> Iterable[Problem]:
    path = [str(part) for part in error.absolute_path]
    schema = error.schema if isinstance(error.schema, Mapping) else {}
    say = str(schema.get("title", "what it should be"))
    do = str(schema.get("description", "see `paywright contract schema`"))
    if error.validator == "additionalProperties":
        known = schema.get("properties", {})
        for key in error.instance if isinstance(error.instance, dict) else ():
            if key not in known:
                where = _place(document, [*path, key])
                do = f"{meant(key, known)}write one of the keys of {say}: {', '.join(known)}"
                yield Problem(where, f"`{key}` is not known here", do)
    elif error.validator == "required":
        key = error.message.split("'")[1]  # one error for each missing key
        yield Problem(_place(document, path), f"{_named(path)} lacks `{key}:`", do)
    elif "propertyNames" in error.absolute_schema_path:
        yield Problem(_place(document, [*path, str(error.instance)]), f"`{error.instance}` is not {say}", do)
    elif isinstance(error.instance, dict):
        yield Problem(_place(document, path), f"under {_named(path)} stand entries where {say} should be", do)
    elif error.validator == "type":
        yield Problem(_place(document, path), f"`{error.instance}` stands where {say} should be", do)
    else:
        yield Problem(_place(document, path), f"`{error.instance}` is not {say}", do)


def _named(path: list[str]) -> str:
    return f"`{path[-1]}`" if path else "the file"


def _place(document: Document, path: list[str]) -> SourcePlace:
    place, block = document.block.place, document.block
    for key in path:
        entry = block.get(key)
        if entry is None:
            return place
        place, block = entry.place, entry.block
    return place
