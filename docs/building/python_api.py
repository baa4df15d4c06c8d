"""The Python API in Markdown: every public name with its signature and docstring, read without importing anything."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from textwrap import dedent
from typing import cast

import griffe

from paywright_codegen.model.contract import Contract
from paywright_codegen.reference.tables import Homes, code

__all__ = ["MODULES", "api_pages"]

MODULES = {
    "paywright": "The client, its settings, its errors, and the objects of the contract.",
    "paywright.aio": "The same client, awaited.",
    "paywright_receiver": "Ledgers, followers, and applications for a receiver.",
    "paywright_receiver.django": "A receiver as a view of Django.",
    "paywright_receiver.fastapi": "A receiver as an endpoint of FastAPI.",
    "paywright_receiver.flask": "A receiver as a blueprint of Flask.",
    "paywright_receiver.otel": "Traces and metrics by OpenTelemetry.",
    "paywright_receiver.starlette": "A receiver as a route of Starlette.",
    "paywright_sandbox.testing": "The sandbox for your own tests.",
    "paywright_sandbox.testing.pytest": "Fixtures for pytest.",
    "paywright_audit": "The audit as a library.",
    "paywright_audit.spark": "The audit of a DataFrame.",
}
"""The public modules, each a page, with one sentence about it."""

_WIDTH = 100
_HEAD = "<!-- Written by `make docs` from docstrings; never edited by hand. -->\n\n"
_CODE = re.compile(r"(``.*?``|`[^`]*`)", re.DOTALL)
_GENERATED = ("paywright.models.", "paywright.resources.", "paywright.aio.resources.")


def api_pages(top: Path, contract: Contract) -> dict[str, str]:
    """Return the page of each public module, by its path under the reference."""
    folders = [top / name for name in ("audit", "generated", "receiver", "runtime", "sandbox")]
    loader = griffe.GriffeLoader(search_paths=folders, docstring_parser=griffe.Parser.google)
    for name in dict.fromkeys(module.partition(".")[0] for module in (*MODULES, "paywright_runtime")):
        loader.load(name)
    loader.resolve_aliases(external=False)
    homes = Homes(contract)
    exported = (
        _target(cast("griffe.Module", loader.modules_collection[name])[one])
        for name in MODULES
        for one in _exports(cast("griffe.Module", loader.modules_collection[name]))
    )
    public = {one.path for one in exported if isinstance(one, griffe.Class)}
    pages = {f"python/{name}.md": _page(loader, name, contract, homes, public) for name in MODULES}
    listed = "".join(f"- [`{name}`](python/{name}.md): {says}\n" for name, says in MODULES.items())
    return {
        **pages,
        "python.md": f"{_HEAD}# The Python API\n\nThese modules are public. Others may change with any release.\n\n{listed}",
    }


def _page(loader: griffe.GriffeLoader, name: str, contract: Contract, homes: Homes, public: set[str]) -> str:
    module = cast("griffe.Module", loader.modules_collection[name])
    own, generated = [], []
    for each in sorted(_exports(module), key=str.casefold):
        target = _target(module[each])
        if target is None or target.is_module or each.startswith("__"):
            continue
        if target.path.startswith(_GENERATED):
            home = homes.struct(each) if each in contract.structs else homes.named("set", each)
            generated.append(f"[{code(each)}](../{home.page}#{home.anchor})")
        else:
            own.append("\n".join(_object(each, target, public)))
    parts = [f"{_HEAD}# {name}", *_docstring(module)]
    if name == "paywright":
        parts += ["## Calls", *_resources(loader, contract, homes)]
    if generated:
        parts += ["## Objects and value lists of the contract", ", ".join(generated) + "."]
    return re.sub(r"\n{3,}", "\n\n", "\n\n".join([*parts, *own])).strip() + "\n"


def _exports(module: griffe.Module) -> Iterable[str]:
    if module.exports is not None:
        return [str(one) for one in module.exports]
    return [name for name, one in module.members.items() if not name.startswith("_") and not one.is_alias]


def _target(one: griffe.Object | griffe.Alias) -> griffe.Object | None:
    try:
        return one.final_target if isinstance(one, griffe.Alias) else one
    except (griffe.AliasResolutionError, griffe.CyclicAliasError):
        return None


def _resources(loader: griffe.GriffeLoader, contract: Contract, homes: Homes) -> Iterator[str]:
    """Yield each resource of a client: links to its operations, and its methods that settle and follow."""
    names = dict.fromkeys(one.resource for one in contract.operations.values() if not one.inbound)
    for name in names:
        operations = {
            one.verb: one.name for one in contract.operations.values() if one.resource == name and not one.inbound
        }
        links = [f"[{code(one)}](../{homes.operation(one).page})" for one in operations.values()]
        yield f"### client.{name}\n\nCalls {', '.join(links)}."
        module = cast("griffe.Module", loader.modules_collection[f"paywright.resources.{name}"])
        for one in (each for each in module.classes.values() if not each.is_alias):
            for method in one.functions.values():
                if not method.name.startswith("_") and method.name not in operations and not method.is_alias:
                    yield "\n".join(_function(f"client.{name}.{method.name}", method, "####"))


def _object(name: str, one: griffe.Object, public: set[str]) -> Iterator[str]:
    yield f"## {name}"
    yield ""
    if isinstance(one, griffe.Function):
        yield from _body(name, one)
    elif isinstance(one, griffe.Class):
        yield from _class(name, one, public)
    else:
        annotation = getattr(one, "annotation", None)
        value = getattr(one, "value", None)
        said = str(value) if len(str(value)) <= _WIDTH else "..."
        shown = f"{name}: {annotation}" if annotation is not None else f"{name} = {said}"
        yield from (f"```text\n{shown}\n```", "", *_joined(_docstring(one)))


def _class(name: str, one: griffe.Class, public: set[str]) -> Iterator[str]:
    bases = ", ".join(str(base).rpartition(".")[2] for base in one.bases)
    made = one.all_members.get("__init__")
    target = _target(made) if made is not None else None
    if isinstance(target, griffe.Function) and not target.path.startswith("builtins"):
        yield f"```text\n{_signature(name, facts if (facts := _of_facts(one)) is not None else target)}\n```"
        yield ""
    if bases:
        yield f"Base: {code(bases)}."
        yield ""
    yield from _joined(_docstring(one))
    if target is not None and target.docstring is not None and "Args:" in target.docstring.value:
        yield from _joined(_docstring(target))
    for member in _members(one):
        inherited = member.parent is not one and member.parent is not None and member.parent.path in public
        if isinstance(member, griffe.Function) and not inherited:  # its base says it
            yield from _function(f"{name}.{member.name}", member, "###")
    attributes = [one for one in _members(one) if isinstance(one, griffe.Attribute) and one.docstring is not None]
    for attribute in attributes:
        words = " ".join(attribute.docstring.value.split()) if attribute.docstring else ""
        yield f"- `{attribute.name}`: {escaped(words)}"
    if attributes:
        yield ""


def _of_facts(one: griffe.Class) -> griffe.Function | None:
    """Return the constructor of an error that is made of its annotated members; None for any other class."""
    found: dict[str, griffe.Parameter] = {}
    for each in (*reversed(one.mro()), one):
        if any(str(decorator.value) == "_of_facts" for decorator in each.decorators):
            for name, fact in each.members.items():
                if isinstance(fact, griffe.Attribute) and "instance-attribute" in fact.labels:
                    kind = griffe.ParameterKind.keyword_only
                    found[name] = griffe.Parameter(name, annotation=fact.annotation, kind=kind, default=fact.value)
    return griffe.Function("__init__", parameters=griffe.Parameters(*found.values())) if found else None


def _members(one: griffe.Class) -> Iterator[griffe.Object]:
    for name, member in one.all_members.items():
        target = _target(member)
        if not name.startswith("_") and target is not None and target.path.startswith("paywright"):
            yield target


def _function(name: str, one: griffe.Function, heading: str) -> Iterator[str]:
    yield f"{heading} {name}"
    yield ""
    yield from _body(name, one)


def _body(name: str, one: griffe.Function) -> Iterator[str]:
    yield f"```text\n{_signature(name, one)}\n```"
    yield ""
    yield from _joined(_docstring(one))


def _joined(parts: Iterable[str]) -> Iterator[str]:
    for part in parts:
        yield part
        yield ""


def _signature(name: str, one: griffe.Function) -> str:
    """Return a signature, with an argument a line where it is long."""
    words: list[str] = []
    star = positional = False  # what was said, and what is still to be said
    for each in one.parameters:
        if each.name in ("self", "cls"):
            continue
        if positional and each.kind is not griffe.ParameterKind.positional_only:
            positional = False
            words.append("/")
        if each.kind is griffe.ParameterKind.keyword_only and not star:
            star = True
            words.append("*")
        positional |= each.kind is griffe.ParameterKind.positional_only
        mark = {griffe.ParameterKind.var_positional: "*", griffe.ParameterKind.var_keyword: "**"}.get(each.kind, "")
        star |= each.kind is griffe.ParameterKind.var_positional
        text = f"{mark}{each.name}" + (f": {each.annotation}" if each.annotation is not None else "")
        words.append(text + (f" = {each.default}" if each.default is not None and not mark else ""))
    words += ["/"] if positional and words else []
    end = f" -> {one.returns}" if one.returns is not None and one.name != "__init__" else ""
    whole = f"{name}({', '.join(words)}){end}"
    return whole if len(whole) <= _WIDTH else "\n".join((f"{name}(", *(f"    {word}," for word in words), f"){end}"))


def _docstring(one: griffe.Object) -> list[str]:
    """Return the parts of a docstring as Markdown."""
    if one.docstring is None:
        return []
    return [part for section in one.docstring.parse(griffe.Parser.google, warnings=False) for part in _section(section)]


def _section(section: griffe.DocstringSection) -> Iterator[str]:
    kind, value = section.kind, section.value
    if kind is griffe.DocstringSectionKind.text:
        yield escaped(dedent(str(value)).strip())
        return
    if kind is griffe.DocstringSectionKind.admonition:
        yield f"**{section.title or value.kind}:** {escaped(value.description.strip())}"
        return
    yield f"**{(section.title or kind.value).capitalize()}:**"
    yield "\n".join(f"- {_item(each)}" for each in value)


def _item(each: griffe.DocstringElement) -> str:
    name = getattr(each, "name", "") or str(getattr(each, "annotation", "") or "")
    words = escaped(" ".join(each.description.split()))
    return f"{code(name)}: {words}" if name else words


def escaped(text: str) -> str:
    """Return words of a docstring for Markdown; code spans and indented lines stay as they are."""
    lines = [
        line if line.startswith("    ") else _CODE.sub(lambda found: found[0], _plain(line))
        for line in text.split("\n")
    ]
    return "\n".join(lines)


def _plain(line: str) -> str:
    return "".join(part if part.startswith("`") else re.sub(r"([<*\[])", r"\\\1", part) for part in _CODE.split(line))
