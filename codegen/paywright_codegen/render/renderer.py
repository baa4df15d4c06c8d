"""Fill templates: the body of a file first, then the imports that its names need.

Every contract string reaches Python through `source` (which is `ascii`, the same in all versions of Python), a
docstring filter or a comment filter. No string can end the literal or comment that holds it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from textwrap import wrap

from jinja2 import Environment, PackageLoader, StrictUndefined

from paywright_codegen import naming
from paywright_codegen.model.contract import Contract
from paywright_codegen.python_types import literal
from paywright_codegen.render.views.doc_text import wrapped
from paywright_codegen.render.views.merchant import MerchantView, ReceiverView
from paywright_codegen.render.views.package import KINDS, ClientKind, Files
from paywright_codegen.render.views.validators import ValidatorView

# Each module with the names that generated code may use of it. The contract defines none of them.
_MODULES = {
    "collections.abc": "Callable Iterable Mapping Sequence",
    "dataclasses": "dataclass field",
    "datetime": "date datetime",
    "decimal": "Decimal",
    "functools": "cached_property",
    "pathlib": "Path",
    "paywright_receiver.webhooks.event": "Event",
    "paywright_receiver.webhooks.options": "ReceiverArguments",
    "paywright_receiver.webhooks.receiver": "BaseReceiver",
    "paywright_runtime.answer": "Answer Violation",
    "paywright_runtime.client.aio": "AsyncClient AsyncResource",
    "paywright_runtime.client.client": "SyncClient",
    "paywright_runtime.client.operation_refs": "Call Follow OperationRef WriteRef",
    "paywright_runtime.settling.permission": "Permission",
    "paywright_runtime.client.resolver": "Resolve Resolver",
    "paywright_runtime.client.settings": "BaseMerchant",
    "paywright_runtime.contract.index": "Contract",
    "paywright_runtime.contract.message": "Model",
    "paywright_runtime.contract.model": "Following Limit Move Question Set Struct",
    "paywright_runtime.contract.open_enum": "OpenEnum",
    "paywright_runtime.contract.operation": "Operation SeenNotification",
    "paywright_runtime.contract.formats": "FORMS matcher",
    "paywright_runtime.contract.value_checks": "EMPTY Report in_range is_number longer not_joined same_text within",
    "paywright_runtime.errors": "OutcomeUnknown PaywrightError",
    "paywright_runtime.lazy": "lazily",
    "paywright_runtime.signing.bank_signatures": "CallSignature KeySignature SecretSignature",
    "paywright_runtime.signing.rsa": "Signer Verifier",
    "paywright_runtime.tracebacks": "strip_frames",
    "paywright_runtime.version": "VERSION",
    "typing": "ClassVar Literal Never TYPE_CHECKING TypeAlias Unpack cast",
}
HOMES = {"re": "", **{name: module for module, names in _MODULES.items() for name in names.split()}}
# What makes methods awaited, under names that no contract can write: `module:Name` is imported under another name.
_AIO = "paywright_runtime.client.aio"
AWAITED_FORMS = {
    "_awaited": f"{_AIO}:awaited",
    "_awaited_resolver": f"{_AIO}:awaited_resolver",
    "_shared": f"{_AIO}:shared",
    "_Final": "typing:Final",
}


def imports_of(body: str, homes: Mapping[str, str], lazy: Set[str], own: Set[str]) -> str:
    """Return the import lines for the names that a body uses, but for its own. Those in `lazy` are imported for type checkers only."""
    tree = ast.parse(body)
    used = ({node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} & homes.keys()) - own
    late = [f"    {line}" if line else "" for line in _grouped({name: homes[name] for name in used & lazy})]
    eager = _grouped({name: homes[name] for name in used - lazy | ({"TYPE_CHECKING"} if late else set())})
    return "\n".join([*eager, *(["", "if TYPE_CHECKING:", *late] if late else [])])


def _grouped(names: Mapping[str, str]) -> list[str]:
    modules: dict[str, list[str]] = {}
    for name, home in sorted(names.items()):
        module, _, other = home.partition(":")
        modules.setdefault(module or name, []).append(f"{other} as {name}" if other else name if module else "")

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


@dataclass(frozen=True, slots=True)
class Rendered:
    """One file of the package, by its path under the package's parent folder."""

    path: str
    text: str


# Control, separator, invisible and bidirectional characters. Listed here because str.isprintable differs between versions
# of Python, and the output must not.
_UNSHOWN = re.compile(
    r"[\x00-\x1f\x7f-\xa0\xad\u0600-\u0605\u061c\u200b-\u200f\u2028-\u202f\u205f-\u206f\u3000\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]"
)


def _printable(text: str) -> str:
    return _UNSHOWN.sub(" ", text)


def inside_docstring(text: str) -> str:
    """Return text for the middle of a docstring, which it cannot end."""
    return _printable(text).replace("\\", "\\\\").replace('"""', '\\"\\"\\"')


def docstring(lines: list[str], indent: int) -> str:
    """Return a docstring that no text in its lines can end."""
    safe = [inside_docstring(line) for line in lines]
    if lines[-1].endswith('"'):
        safe[-1] = inside_docstring(lines[-1][:-1]) + '\\"'
    if len(safe) == 1:
        return f'"""{safe[0]}"""'
    margin = " " * indent
    body = "\n".join(f"{margin}{line}" if line.strip() else "" for line in safe[1:])
    return f'"""{safe[0]}\n{body}\n{margin}"""'


def comment(text: str) -> str:
    """Return a comment line."""
    return f"# {_printable(text)}"


def behind(text: str) -> str:
    """Return a comment behind code; "" for no text."""
    return f"  # {_printable(text)}" if text else ""


def texts(names: Sequence[str], width: int) -> str:
    """Return names joined by spaces as one text, in as many lines as they need."""
    lines = wrap(" ".join(names), width)
    return (
        "(" + " ".join(ascii(f"{line} ") for line in lines[:-1]) + f" {lines[-1]!a})" if lines[1:] else ascii(lines[0])
    )


def title(struct: ValidatorView) -> list[str]:
    """Return the docstring of a validator."""
    cited = f" [{', '.join(struct.sections)}]" if struct.sections else ""
    return wrapped(f"{struct.name}{cited}", 4)


@cache
def _environment() -> Environment:
    env = Environment(
        loader=PackageLoader("paywright_codegen.render"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # the output is Python, which the filters below escape
    )
    env.filters.update(
        source=ascii,
        docstring=docstring,
        inside_docstring=inside_docstring,
        comment=comment,
        behind=behind,
        literal=literal,
        texts=texts,
        title=title,
        constant=naming.constant,
    )
    return env


def render_python(contract: Contract, package: str) -> list[Rendered]:
    """Render every Python file of the package of a contract without problems. `package` is its dotted name."""
    return sorted(_Package(contract, package).python(), key=lambda rendered: rendered.path)


def render_validators(contract: Contract, package: str) -> list[Rendered]:
    """Render the validators of a package alone. They ask `CONTRACT` of its `contract` for what a failed test means."""
    return list(_Package(contract, package).validators())


_VALUES = frozenset({"Decimal", "date", "datetime", "Mapping", "Sequence", "Literal"})
_TYPES = _VALUES | {"Call", "OutcomeUnknown", "PaywrightError", "Permission", "Follow", "Resolve", "Resolver"}
_NAMES = frozenset({"MessageName", "MessageRole", "OperationName"})
_CONTRACT_TYPES = _NAMES | frozenset(
    {"Callable", "Following", "Limit", "Mapping", "Move", "Operation", "Question", "SeenNotification", "Set", "Struct"}
)

_RECEIVER_DOC = [
    "Receives the gateway's notifications (webhooks) and questions: verified, matched, fresh, each effect once.",
    "",
    "Threads may share it, and processes may share its ledger. See `paywright_receiver.webhooks.receiver.BaseReceiver` for its other",
    "arguments.",
]

_CONTRACT_DOC = (
    "The contract as plain values: addresses, keys, echoes, codes, states and moves, and limits. Read from JSON a file at a time, "
    "when first asked for."
)
_OPERATIONS_DOC = "The operations that a client calls, typed by their results, for `client.call` and `client.resolve`."
_AIO_DOC = "The awaited client, for asyncio and trio; needs `pip install 'paywright[async]'`."
_PACKAGE_DOC = "A typed SDK for the payment gateway: every limit checked before a byte leaves, every answer verified."


class _Package:
    """The files of a package. Each method yields some of them."""

    def __init__(self, contract: Contract, package: str) -> None:
        self._env = _environment()
        self._contract = contract
        self._package = package
        self._files = Files(contract, package)
        self._merchant = MerchantView(contract, package)
        self._receiver = ReceiverView(contract)
        self._models = {name: f"{package}.models.{home}" for name, home in self._files.model_homes.items()}
        self._homes = {**HOMES, **self._models}

    def _file(
        self,
        path: str,
        doc: str,
        template: str,
        homes: Mapping[str, str] = HOMES,
        lazy: Set[str] = frozenset(),
        own: Set[str] = frozenset(),
        **given: object,
    ) -> Rendered:
        """Fill a template, and import what it uses: the modules of names are `homes`. For `lazy` and `own` see `imports_of`."""
        body = self._env.get_template(f"{template}.py.jinja").render(
            files=self._files, merchant=self._merchant, **given
        )
        head = f"{docstring(wrapped(doc, 0), 0)}\n\n# Generated from the contract by `paywright contract generate`; never edited by hand.\n"
        imports = imports_of(body, homes, lazy, own)
        text = f"{head}\nfrom __future__ import annotations\n\n{imports}\n\n{body.rstrip()}\n"
        return Rendered(self._path(path), text)

    def _path(self, path: str) -> str:
        return f"{self._package.replace('.', '/')}/{path}"

    def python(self) -> Iterator[Rendered]:
        """Yield every Python file."""
        yield from self._model_files()
        yield from self.validators()
        yield from self._contract_files()
        for kind in KINDS:
            yield from self._client_files(kind)
        yield from self._merchant_files()
        if self._receiver:
            yield self._receiver_file()
        yield from self._package_files({**self._models, **naming.EXPORTS})

    def _model_files(self) -> Iterator[Rendered]:
        lazy = _VALUES | {"Answer"} | set(self._models)
        for module in self._files.modules:
            if module.models or module.enums:
                doc, own = f"Messages and value lists of {module.file}.", {each.name for each in module.classes}
                yield self._file(f"models/{module.module}.py", doc, "models", self._homes, lazy, own, module=module)

    def validators(self) -> Iterator[Rendered]:
        """Yield the validators, the tests of formats, and the validators that messages of one envelope share."""
        package, files = self._package, self._files
        yield self._file("validators/_formats.py", "The formats of text, as tests.", "formats")
        formats = {
            naming.constant(form.name): f"{package}.validators._formats" for form in self._contract.formats.values()
        }
        homes = {**HOMES, **formats, "CONTRACT": f"{package}.contract"}
        if files.envelopes:
            doc = "Validators that messages of one envelope share."
            yield self._file("validators/_envelopes.py", doc, "envelopes", homes, envelopes=files.envelopes)
        homes["_envelopes"] = f"{package}.validators"
        for module in files.modules:
            homes |= {
                view.function: f"{package}.validators.{module.module}" for view in module.validators if view.is_named
            }
        for module in files.modules:
            if module.validator_table:
                path, own = f"validators/{module.module}.py", {view.function for view in module.validators}
                doc = f"Validators of {module.file}: each adds what it finds to a report."
                yield self._file(path, doc, "validators", homes, {"Report"}, own, module=module)

    def _contract_files(self) -> Iterator[Rendered]:
        names = {**HOMES, **dict.fromkeys(_NAMES, f"{self._package}.contract._names")}
        yield self._file("contract/__init__.py", _CONTRACT_DOC, "contract_init", names, _CONTRACT_TYPES)
        yield self._file("contract/_names.py", "The names of the contract as types.", "contract_names")

    def _client_files(self, kind: ClientKind) -> Iterator[Rendered]:
        """Yield a client and its resources, blocking or awaited, from the same templates."""
        package, resources = self._package, self._files.resources
        root, lazy = kind.folder.replace(".", "/"), _TYPES | set(self._models)
        homes = {
            **self._homes,
            **AWAITED_FORMS,
            **{view.constant: f"{package}.operations" for view in self._files.called},
        }
        for resource in resources:
            doc = f"{resource.class_name}: what {kind.who} calls as `client.{resource.name}`."
            own = {**homes, "_Blocking": f"{package}.resources.{resource.name}:{resource.class_name}"}
            yield self._file(f"{root}resources/{resource.name}.py", doc, kind.template, own, lazy, resource=resource)
        classes = {view.class_name: f"{package}.{kind.folder}resources.{view.name}" for view in resources}
        homes = {**self._homes, "CONTRACT": f"{package}.contract", "Merchant": f"{package}.merchant", **classes}
        lazy = lazy | set(classes) | {"Contract", "Never"}
        doc = f"{kind.title} of the gateway."
        yield self._file(f"{root}client.py", doc, "client", homes, lazy, kind=kind)

    def _merchant_files(self) -> Iterator[Rendered]:
        lazy = {"CallSignature", "ClassVar", "Mapping", "Path", "Sequence", "Signer", "Verifier"}
        yield self._file("merchant.py", "The merchant: its numbers and its keys.", "merchant", lazy=lazy)
        if self._merchant.forms:
            doc = "The forms of signatures that the merchant chooses."
            yield self._file("signatures.py", doc, "signatures", lazy={"ClassVar"})

    def _receiver_file(self) -> Rendered:
        package, receiver = self._package, self._receiver
        # The models of decisions are imported when a decision is made.
        late = {question.decision for question in receiver.questions}
        homes = {
            **self._homes,
            "CONTRACT": f"{package}.contract",
            "Merchant": f"{package}.merchant",
            "Question": "paywright_receiver.webhooks.bill_questions",
        }
        lazy = _TYPES | set(self._models) | late
        lazy |= {"Callable", "ClassVar", "Contract", "Event", "ReceiverArguments", "Unpack"}
        doc = "The receiver of the gateway's notifications (webhooks), with a typed handler for every kind."
        receiver_doc = [*_RECEIVER_DOC, "", *self._merchant.addressee_doc]
        return self._file("receiver.py", doc, "receiver", homes, lazy, receiver=receiver, receiver_doc=receiver_doc)

    def _package_files(self, homes: Mapping[str, str]) -> Iterator[Rendered]:
        package, forms = self._package, self._merchant.forms
        own_names = {"Client": f"{package}.client", **dict.fromkeys(_NAMES, f"{package}.contract._names")}
        own_names["Merchant"] = f"{package}.merchant"
        own_names |= {form.class_name: f"{package}.signatures" for form in forms}
        if forms:
            own_names["CallSignature"] = HOMES["CallSignature"]
        if self._receiver:
            names = ("Receiver", *(question.class_name for question in self._receiver.questions))
            own_names |= dict.fromkeys(names, f"{package}.receiver")
        by_home: dict[str, list[str]] = {}
        for name, home in sorted({**own_names, **homes}.items()):
            by_home.setdefault(home, []).append(name)
        exports = sorted(by_home.items())
        public = sorted([*own_names, *homes, "__version__", "contract", "validate"])
        own = {name: HOMES[name] for name in ("TYPE_CHECKING", "VERSION", "lazily")}
        yield self._file("__init__.py", _PACKAGE_DOC, "package_init", own, exports=exports, public=public)
        if self._files.called:
            yield self._file("operations/__init__.py", _OPERATIONS_DOC, "operations", self._homes, set(self._models))
        yield self._file("aio/__init__.py", _AIO_DOC, "aio_init", own)
        for part, doc in (
            ("models", "Messages and value lists."),
            ("validators", "Validators."),
            ("resources", "Resources."),
            ("aio/resources", "Resources that are awaited."),
        ):
            yield Rendered(self._path(f"{part}/__init__.py"), f'"""{doc}"""\n')
        yield Rendered(self._path("py.typed"), "")
