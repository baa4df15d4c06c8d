"""Templates to unformatted Python: the body first, then the imports that its names need.

Every contract string reaches Python through `source` (which is `ascii`, a `repr` that no version of Python writes differently), a docstring filter or a comment filter; none of them
can be broken out of.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from jinja2 import Environment, PackageLoader, StrictUndefined

from paywright_codegen import naming
from paywright_codegen.client_kinds import KINDS, ClientKind
from paywright_codegen.model import Contract
from paywright_codegen.receiver_views import ReceiverView
from paywright_codegen.views import Files, ModuleView, StructView
from paywright_codegen.words import wrapped

__all__ = ["Rendered", "render_python"]


@dataclass(frozen=True, slots=True)
class Rendered:
    """One file of the package, by its path under the package's parent folder."""

    path: str
    text: str


# Controls, separators, and what is invisible or turns text around. Written out, because what Python calls printable
# differs between its versions, and the output must not.
_UNSHOWN = re.compile(
    r"[\x00-\x1f\x7f-\xa0\xad\u0600-\u0605\u061c\u200b-\u200f\u2028-\u202f\u205f-\u206f\u3000\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]"
)


def _printable(text: str) -> str:
    return _UNSHOWN.sub(" ", text)


def docstring(lines: list[str], indent: int) -> str:
    """A docstring that nothing in its lines can end."""
    safe = [_printable(line).replace("\\", "\\\\").replace('"""', '\\"\\"\\"') for line in lines]
    if safe[-1].endswith('"'):
        safe[-1] = safe[-1][:-1] + '\\"'
    if len(safe) == 1:
        return f'"""{safe[0]}"""'
    margin = " " * indent
    body = "\n".join(f"{margin}{line}" if line.strip() else "" for line in safe[1:])
    return f'"""{safe[0]}\n{body}\n{margin}"""'


def comment(text: str) -> str:
    """A line of comment."""
    return f"# {_printable(text)}"


def behind(text: str) -> str:
    """A comment behind code, or nothing."""
    return f"  # {_printable(text)}" if text else ""


def title(struct: StructView) -> list[str]:
    """The docstring of a validator."""
    cited = f" [{', '.join(struct.sections)}]" if struct.sections else ""
    return wrapped(f"{struct.name}{cited}, {struct.place}", 4)


def _environment() -> Environment:
    env = Environment(
        loader=PackageLoader("paywright_codegen"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # the output is Python; the filters below are its escaping
    )
    env.filters.update(
        source=ascii, docstring=docstring, comment=comment, behind=behind, title=title, constant=naming.constant
    )
    return env


# Where every name lives that generated code may use and the contract does not define.
_HOMES: dict[str, str] = {
    "re": "",
    "Callable": "collections.abc",
    "Iterable": "collections.abc",
    "Mapping": "collections.abc",
    "Sequence": "collections.abc",
    "dataclass": "dataclasses",
    "field": "dataclasses",
    "date": "datetime",
    "datetime": "datetime",
    "Decimal": "decimal",
    "cached_property": "functools",
    "import_module": "importlib",
    "Literal": "typing",
    "TYPE_CHECKING": "typing",
    "formats": "paywright_runtime",
    "Answer": "paywright_runtime.answer",
    "BaseClient": "paywright_runtime.client",
    "BaseReceiver": "paywright_runtime.receiver",
    "Event": "paywright_runtime.events",
    "Model": "paywright_runtime.model",
    "AsyncBaseClient": "paywright_runtime.aio.client",
    "AsyncResolver": "paywright_runtime.aio.resolver",
    "PaywrightError": "paywright_runtime.errors",
    "Resolver": "paywright_runtime.resolver",
    **dict.fromkeys(
        (
            "AsyncCall",
            "AsyncResolve",
            "Call",
            "Contract",
            "Decision",
            "Guard",
            "Field",
            "Limit",
            "Move",
            "Operation",
            "OperationRef",
            "Question",
            "Resolution",
            "Resolve",
            "Rule",
            "Set",
            "Shown",
            "Struct",
        ),
        "paywright_runtime.facts",
    ),
    "WireSet": "paywright_runtime.sets",
    **dict.fromkeys(("unburdened", "unburdened_async"), "paywright_runtime.unburdened"),
    "VERSION": "paywright_runtime.version",
    **dict.fromkeys(
        ("EMPTY", "Report", "Violation", "in_range", "is_number", "longer", "not_joined", "same_text", "within"),
        "paywright_runtime.violations",
    ),
}


def _imports(body: str, homes: Mapping[str, str], lazy: frozenset[str] = frozenset()) -> str:
    """The import lines for the names a body uses; those in `lazy` are for the type checker alone."""
    tree = ast.parse(body)
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} & homes.keys()
    late = _grouped({name: homes[name] for name in used & lazy})
    eager = _grouped({name: homes[name] for name in used - lazy | ({"TYPE_CHECKING"} if late else set())})
    if not late:
        return "\n".join(eager)
    return "\n".join([*eager, "", "if TYPE_CHECKING:", *(f"    {line}" if line else "" for line in late)])


def _grouped(names: Mapping[str, str]) -> list[str]:
    modules: dict[str, list[str]] = {}
    for name, home in sorted(names.items()):
        modules.setdefault(home or name, []).append("" if not home else name)

    def rank(module: str) -> tuple[bool, bool, str]:
        ours = "_" in module or ("." in module and module != "collections.abc")
        return ours, modules[module] != [""], module

    lines: list[str] = []
    before = False
    for module in sorted(modules, key=rank):
        if lines and rank(module)[0] != before:
            lines.append("")
        before = rank(module)[0]
        found = modules[module]
        lines.append(f"import {module}" if found == [""] else f"from {module} import {', '.join(sorted(found))}")
    return lines


def _file(path: str, doc: str, body: str, homes: Mapping[str, str], lazy: frozenset[str] = frozenset()) -> Rendered:
    head = (
        f"{docstring(wrapped(doc, 0), 0)}\n\n# Generated from the contract by `make generate`; never edited by hand.\n"
    )
    imports = _imports(body, homes, lazy)
    return Rendered(path, f"{head}\nfrom __future__ import annotations\n\n{imports}\n\n{body.rstrip()}\n")


def render_python(contract: Contract, package: str, public: Mapping[str, str]) -> list[Rendered]:
    """Every Python file of the package. `public` are the hand-written names it exports, with their modules."""
    env = _environment()
    files = Files(contract, package)
    root = package.replace(".", "/")
    models = {name: f"{package}.models.{home}" for name, home in files.model_homes.items()}
    out: list[Rendered] = []
    for module in files.modules:
        out += _module_files(env, files, module, models)
    for kind in KINDS:
        out += _client_files(env, files, kind, models)
    out += _receiver_file(env, files, models)
    body = env.get_template("formats.py.jinja").render(files=files)
    out.append(_file(f"{root}/validators/_formats.py", "The formats of text, as tests.", body, _HOMES))
    body = env.get_template("contract_general.py.jinja").render(contract=contract)
    out.append(_file(f"{root}/contract/_general.py", "Limits, moves and open questions.", body, _HOMES))
    body = env.get_template("contract_init.py.jinja").render(files=files)
    out.append(_file(f"{root}/contract/__init__.py", _CONTRACT_DOC, body, _HOMES, _CONTRACT_TYPES))
    out += _package_files(env, files, {**models, **public})
    return sorted(out, key=lambda rendered: rendered.path)


def _receiver_file(env: Environment, files: Files, models: Mapping[str, str]) -> Iterable[Rendered]:
    receiver = ReceiverView(files.contract)
    if not receiver:
        return
    body = env.get_template("receiver.py.jinja").render(files=files, receiver=receiver, receiver_doc=_RECEIVER_DOC)
    # What decides an answer is built when there is one to give.
    late = {question.decision: f"{files.package}.models.{question.module}" for question in receiver.questions}
    homes = {**_HOMES, **models, "CONTRACT": f"{files.package}.contract", "Question": "paywright_runtime.questions"}
    lazy = _TYPES | frozenset(models) | frozenset(late) | {"Callable", "Contract", "Event"}
    doc = "The receiver of what the service sends, with a typed handler for every kind."
    yield _file(f"{files.package.replace('.', '/')}/receiver.py", doc, body, homes, lazy)


_TYPES = frozenset({"Decimal", "date", "datetime", "Mapping", "Sequence", "Literal", "PaywrightError"})
_TYPES |= {name for kind in KINDS for name in (kind.call, kind.resolve, kind.resolver)}


def _client_files(env: Environment, files: Files, kind: ClientKind, models: Mapping[str, str]) -> Iterable[Rendered]:
    """A client and its resources, awaited or not: the same templates."""
    root = f"{files.package}.{kind.folder}".replace(".", "/")
    for resource in files.resources:
        body = env.get_template("resource.py.jinja").render(resource=resource, kind=kind)
        doc = f"{resource.class_name}: what {kind.who} calls as `client.{resource.name}`."
        homes = {**_HOMES, **models}
        yield _file(f"{root}resources/{resource.name}.py", doc, body, homes, _TYPES | frozenset(models))
    homes = {
        **_HOMES,
        "CONTRACT": f"{files.package}.contract",
        **{view.class_name: f"{files.package}.{kind.folder}resources.{view.name}" for view in files.resources},
    }
    body = env.get_template("client.py.jinja").render(files=files, kind=kind)
    classes = frozenset(view.class_name for view in files.resources) | {"Contract"}
    yield _file(f"{root}client.py", f"{kind.title} of the gateway.", body, homes, classes)


_CONTRACT_TYPES = frozenset({"Callable", "Limit", "Mapping", "Move", "Operation", "Question", "Set", "Struct"})

_RECEIVER_DOC = [
    "Receives what the service sends: verified, matched, fresh, each effect once.",
    "",
    "Threads may share it, and processes may share its ledger. See `paywright_runtime.receiver.BaseReceiver` for its arguments.",
]

_CONTRACT_DOC = (
    "The contract as plain values: addresses, keys, echoes, codes, states and moves, limits, and the file and line "
    "where each stands. Loaded a file at a time, when first asked for."
)


def _module_files(env: Environment, files: Files, module: ModuleView, models: Mapping[str, str]) -> Iterable[Rendered]:
    root = files.package.replace(".", "/")
    if module.models or module.sets:
        body = env.get_template("models.py.jinja").render(module=module)
        own = f"{files.package}.models.{module.module}"
        homes = {**_HOMES, **{name: home for name, home in models.items() if home != own}}
        doc = f"Messages and value lists of {module.file}."
        yield _file(f"{root}/models/{module.module}.py", doc, body, homes, _MODEL_TYPES | frozenset(models))
    if module.validated:
        body = env.get_template("validators.py.jinja").render(module=module)
        formats = {
            naming.constant(form.name): f"{files.package}.validators._formats"
            for form in files.contract.formats.values()
        }
        shared = {
            view.function: f"{files.package}.validators.{other.module}"
            for other in files.modules
            for view in other.models
            if other is not module
        }
        local = {view.function for view in module.validated}
        homes = {**_HOMES, **formats, **{name: home for name, home in shared.items() if name not in local}}
        doc = f"Validators of {module.file}: each adds what it finds to a report."
        yield _file(f"{root}/validators/{module.module}.py", doc, body, homes, frozenset({"Report"}))
        body = env.get_template("contract_file.py.jinja").render(module=module)
        yield _file(f"{root}/contract/{module.module}.py", f"What {module.file} says, as plain values.", body, _HOMES)


_MODEL_TYPES = frozenset({"Decimal", "date", "datetime", "Mapping", "Sequence", "Literal", "Answer"})


def _package_files(env: Environment, files: Files, homes: Mapping[str, str]) -> Iterable[Rendered]:
    root = files.package.replace(".", "/")
    receiver = ReceiverView(files.contract)
    own_names = {"Client": f"{files.package}.client"}
    if receiver:
        names = ("Receiver", *(question.class_name for question in receiver.questions))
        own_names |= dict.fromkeys(names, f"{files.package}.receiver")
    exports = sorted({**own_names, **homes}.items(), key=lambda export: export[::-1])
    public = sorted([name for name, _ in exports] + ["__version__", "contract", "validate"])
    body = env.get_template("package_init.py.jinja").render(files=files, exports=exports, public=public)
    own = {name: _HOMES[name] for name in ("TYPE_CHECKING", "VERSION", "import_module")}
    yield _file(f"{root}/__init__.py", _PACKAGE_DOC, body, own)
    for part, doc in (
        ("models", "Messages and value lists."),
        ("validators", "Validators."),
        ("resources", "Resources."),
        ("aio/resources", "Resources that are awaited."),
    ):
        yield Rendered(f"{root}/{part}/__init__.py", f'"""{doc}"""\n')
    body = env.get_template("aio_init.py.jinja").render(files=files)
    yield _file(f"{root}/aio/__init__.py", _AIO_DOC, body, own)
    yield Rendered(f"{root}/py.typed", "")


_AIO_DOC = "The awaited client, for asyncio and trio; needs `pip install 'paywright[async]'`."
_PACKAGE_DOC = "A typed SDK for the payment gateway: every limit checked before a byte leaves, every answer verified."
