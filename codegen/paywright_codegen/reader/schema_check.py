"""Check a contract file against the grammar, as the schema that editors have says it: sections, their keys, text or entries."""

from __future__ import annotations

import re
from collections.abc import Iterator

from paywright_codegen.model.cited import SourcePlace
from paywright_codegen.problems import Problem, meant
from paywright_codegen.reader.document import Document, Text, TreeBlock, TreeEntry
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
        return said | {"additionalProperties": _schema(node.each), **node.beside.schema}
    keys = {key: _schema(inner) for key, inner in node.keys.items()}
    return said | {"additionalProperties": False, "required": node.required, "properties": keys, **node.beside.schema}


def shape_problems(document: Document) -> list[Problem]:
    """Return where a file does not match the grammar."""
    unsaid = [problem for section in document.block for problem in _unsaid(section, section.key.text)]
    lines = {problem.place for problem in unsaid}
    shape = _misshapen(FILE, "the file", document.block, document.block.place)
    return [*(problem for problem in shape if problem.place not in lines), *unsaid]


def _misshapen(node: Node, named: str, value: Text | TreeBlock, place: SourcePlace) -> Iterator[Problem]:
    """Find keys that are missing or unknown, and texts and entries that are not what they should be."""
    text = node.text if isinstance(node, Block) else node
    if isinstance(value, Text):
        if text is None:
            yield Problem(place, f"`{value.text}` stands where {node.title} should be", node.do)
        elif not value.text or (text.form and re.search(pattern(text), value.text) is None):
            yield Problem(place, f"`{value.text}` is not {node.title}", node.do)
        return
    keys = [entry.key.text for entry in value]
    if not isinstance(node, Block) or not node.beside.holds({*keys}):
        yield Problem(place, f"under {named} stand entries where {node.title} should be", node.do)
    if not isinstance(node, Block):
        return
    yield from (Problem(place, f"{named} lacks `{key}:`", node.do) for key in node.required if key not in keys)
    for key, entry in zip(keys, value, strict=True):
        inner = node.keys.get(key) if node.name is None else node.each
        if node.name is not None and re.search(pattern(node.name), key) is None:
            yield Problem(entry.place, f"`{key}` is not {node.name.title}", node.name.do)
        if inner is not None:
            yield from _misshapen(inner, f"`{key}`", entry.value, entry.place)
        else:
            do = f"{meant(key, node.keys)}write one of the keys of {node.title}: {', '.join(node.keys)}"
            yield Problem(entry.place, f"`{key}` is not known here", do)


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
