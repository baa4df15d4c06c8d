"""Fill templates: the body of a file first, then the imports that its names need.

Every contract string reaches Python through `source` (which is `ascii`, the same in all versions of Python), a
docstring filter or a comment filter. No string can end the literal or comment that holds it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap

from jinja2 import Environment, PackageLoader, StrictUndefined

from paywright_codegen import naming
from paywright_codegen.model.contract import Contract
from paywright_codegen.render.python.doc_text import wrapped
from paywright_codegen.render.views.client import KINDS, ClientKind
from paywright_codegen.render.views.contract_file import FollowingRow, SeenTable
from paywright_codegen.render.views.merchant import MerchantView
from paywright_codegen.render.views.package import Files, ModuleView
from paywright_codegen.render.views.receiver import ReceiverView
from paywright_codegen.render.views.validators import ValidatorView

__all__ = ["Rendered", "render_python", "render_validators"]


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
    if safe[-1].endswith('"'):
        safe[-1] = safe[-1][:-1] + '\\"'
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


def literal(names: Sequence[str]) -> str:
    """Return the type of some texts, as source; `Never` if there are none."""
    return f"Literal[{', '.join(map(ascii, names))}]" if names else "Never"


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


# The module of every name that generated code may use and the contract does not define.
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
    "lazily": "paywright_runtime.lazy",
    "partial": "functools",
    **dict.fromkeys(("Any", "ClassVar", "Literal", "Never", "TypeAlias", "cast", "overload"), "typing"),
    "TYPE_CHECKING": "typing",
    **dict.fromkeys(("PATTERNS", "matcher"), "paywright_runtime.contract.patterns"),
    "Answer": "paywright_runtime.answer",
    "SyncClient": "paywright_runtime.client.client",
    "BaseReceiver": "paywright_receiver.webhooks.receiver",
    "ReceiverArguments": "paywright_receiver.webhooks.receiver",
    "BaseMerchant": "paywright_runtime.client.settings",
    **dict.fromkeys(("CallSignature", "KeySignature", "SecretSignature"), "paywright_runtime.signing.call_signatures"),
    **dict.fromkeys(("Signer", "Verifier"), "paywright_runtime.signing.rsa"),
    "Path": "pathlib",
    "Unpack": "typing",
    "Event": "paywright_receiver.webhooks.event",
    "Model": "paywright_runtime.contract.message",
    "AsyncClient": "paywright_runtime.client.aio.client",
    "Follow": "paywright_runtime.client.follow",
    **dict.fromkeys(("AsyncResolve", "AsyncResolver"), "paywright_runtime.client.aio.resolver"),
    **dict.fromkeys(("OutcomeUnknown", "PaywrightError"), "paywright_runtime.errors"),
    "Permission": "paywright_runtime.client.permission",
    **dict.fromkeys(("Resolve", "Resolver"), "paywright_runtime.client.resolver"),
    "Contract": "paywright_runtime.contract.index",
    **dict.fromkeys(("AsyncCall", "Call", "OperationRef", "UnknownWrite"), "paywright_runtime.client.calls"),
    **dict.fromkeys(
        ("Field", "Following", "Limit", "Move", "Question", "Rule", "Set", "Struct"), "paywright_runtime.contract.model"
    ),
    **dict.fromkeys(
        ("Amount", "Decision", "GivesBack", "Guard", "Listed", "Operation", "Resolution", "SeenNotification", "Shown"),
        "paywright_runtime.contract.operation",
    ),
    "OpenEnum": "paywright_runtime.contract.enums",
    **dict.fromkeys(("strip_frames", "strip_frames_async"), "paywright_runtime.tracebacks"),
    "VERSION": "paywright_runtime.version",
    "Violation": "paywright_runtime.violation",
    **dict.fromkeys(
        ("EMPTY", "Report", "in_range", "is_number", "longer", "not_joined", "same_text", "within"),
        "paywright_runtime.contract.violations",
    ),
}


def _imports(body: str, homes: Mapping[str, str], lazy: frozenset[str] = frozenset()) -> str:
    """Return the import lines for the names that a body uses. Those in `lazy` are imported for type checkers only."""
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
    head = f"{docstring(wrapped(doc, 0), 0)}\n\n# Generated from the contract by `paywright contract generate`; never edited by hand.\n"
    imports = _imports(body, homes, lazy)
    return Rendered(path, f"{head}\nfrom __future__ import annotations\n\n{imports}\n\n{body.rstrip()}\n")


def render_python(
    contract: Contract, package: str, public: Mapping[str, str], client_arguments: Sequence[str] = ()
) -> list[Rendered]:
    """Render every Python file of the package.

    Args:
        contract: the contract, without problems.
        package: the package's dotted name.
        public: the hand-written names it exports, with their modules.
        client_arguments: docstring lines for the arguments of its clients.
    """
    env = _environment()
    files = Files(contract, package)
    root = package.replace(".", "/")
    models = {name: f"{package}.models.{home}" for name, home in files.model_homes.items()}
    out: list[Rendered] = []
    for module in files.modules:
        out += _module_files(env, files, module, models)
    for kind in KINDS:
        out += _client_files(env, files, kind, models, client_arguments)
    out += _merchant_files(env, files)
    out += _receiver_file(env, files, models)
    out += _shared_validators(env, files)
    if files.shared.names:
        body = env.get_template("contract_envelopes.py.jinja").render(shared=files.shared)
        out.append(
            _file(
                f"{root}/contract/_envelopes.py",
                "Statements that envelopes make once for all operations.",
                body,
                _HOMES,
            )
        )
    body = env.get_template("contract_general.py.jinja").render(
        contract=contract,
        seen=[SeenTable(contract, each) for each in contract.seen.values()],
        followed=[FollowingRow(contract, each) for each in contract.follows.values()],
    )
    out.append(
        _file(f"{root}/contract/_general.py", "Limits, moves, what is followed, and open questions.", body, _HOMES)
    )
    body = env.get_template("contract_signatures.py.jinja").render(contract=contract)
    out.append(_file(f"{root}/contract/_signatures.py", "Coverage and form of signatures.", body, _HOMES))
    body = env.get_template("contract_init.py.jinja").render(files=files)
    names = dict.fromkeys(_NAMES, f"{package}.contract._names")
    out.append(_file(f"{root}/contract/__init__.py", _CONTRACT_DOC, body, {**_HOMES, **names}, _CONTRACT_TYPES))
    body = env.get_template("contract_names.py.jinja").render(files=files)
    out.append(_file(f"{root}/contract/_names.py", "The names of the contract as types.", body, _HOMES))
    out += _package_files(env, files, {**models, **public})
    return sorted(out, key=lambda rendered: rendered.path)


def render_validators(contract: Contract, package: str) -> list[Rendered]:
    """Render the validators of a package alone."""
    env, files = _environment(), Files(contract, package)
    return [
        *_shared_validators(env, files),
        *(one for module in files.modules for one in _validators(env, files, module)),
    ]


def _shared_validators(env: Environment, files: Files) -> Iterable[Rendered]:
    """Render the tests of formats, and the validators that messages of one envelope share."""
    root = files.package.replace(".", "/")
    body = env.get_template("formats.py.jinja").render(files=files)
    yield _file(f"{root}/validators/_formats.py", "The formats of text, as tests.", body, _HOMES)
    if files.envelopes:
        body = env.get_template("envelopes.py.jinja").render(envelopes=files.envelopes)
        homes = {**_HOMES, **_formats(files)}
        doc = "Validators that messages of one envelope share."
        yield _file(f"{root}/validators/_envelopes.py", doc, body, homes)


def _validators(env: Environment, files: Files, module: ModuleView) -> Iterable[Rendered]:
    if not module.validator_table:
        return
    body = env.get_template("validators.py.jinja").render(module=module)
    formats = _formats(files)
    shared = {
        view.function: f"{files.package}.validators.{other.module}"
        for other in files.modules
        for view in other.validators
        if other is not module and view.is_named
    }
    local = {view.function for view in module.validators}
    elsewhere = {**_HOMES, **formats, "_envelopes": f"{files.package}.validators", **shared}
    homes = {name: home for name, home in elsewhere.items() if name not in local}
    doc = f"Validators of {module.file}: each adds what it finds to a report."
    root = files.package.replace(".", "/")
    yield _file(f"{root}/validators/{module.module}.py", doc, body, homes, frozenset({"Report"}))


def _receiver_file(env: Environment, files: Files, models: Mapping[str, str]) -> Iterable[Rendered]:
    receiver = ReceiverView(files.contract)
    if not receiver:
        return
    merchant = MerchantView(files.contract, files.package)
    body = env.get_template("receiver.py.jinja").render(
        files=files, receiver=receiver, merchant=merchant, receiver_doc=[*_RECEIVER_DOC, "", *merchant.addressee_doc]
    )
    # The models of decisions are imported when a decision is made.
    late = {question.decision: f"{files.package}.models.{question.module}" for question in receiver.questions}
    homes = {
        **_HOMES,
        **models,
        "CONTRACT": f"{files.package}.contract",
        "Merchant": f"{files.package}.merchant",
        "Question": "paywright_receiver.webhooks.questions",
    }
    lazy = (
        _TYPES
        | frozenset(models)
        | frozenset(late)
        | {"Callable", "ClassVar", "Contract", "Event", "ReceiverArguments", "Unpack"}
    )
    doc = "The receiver of the gateway's notifications (webhooks), with a typed handler for every kind."
    yield _file(f"{files.package.replace('.', '/')}/receiver.py", doc, body, homes, lazy)


def _merchant_files(env: Environment, files: Files) -> Iterable[Rendered]:
    root = files.package.replace(".", "/")
    merchant = MerchantView(files.contract, files.package)
    body = env.get_template("merchant.py.jinja").render(files=files, merchant=merchant)
    lazy = frozenset({"CallSignature", "ClassVar", "Mapping", "Path", "Sequence", "Signer", "Verifier"})
    yield _file(f"{root}/merchant.py", "The merchant: its numbers and its keys.", body, _HOMES, lazy)
    if merchant.forms:
        body = env.get_template("signatures.py.jinja").render(merchant=merchant)
        doc = "The forms of signatures that the merchant chooses."
        yield _file(f"{root}/signatures.py", doc, body, _HOMES, frozenset({"ClassVar"}))


_TYPES = frozenset(
    {
        "Decimal",
        "date",
        "datetime",
        "Mapping",
        "Sequence",
        "Literal",
        "OutcomeUnknown",
        "PaywrightError",
        "Permission",
        "Follow",
    }
)
_TYPES |= {name for kind in KINDS for name in (kind.call, kind.resolve, kind.resolver)}


def _client_files(
    env: Environment, files: Files, kind: ClientKind, models: Mapping[str, str], arguments: Sequence[str]
) -> Iterable[Rendered]:
    """Render a client and its resources, blocking or awaited, from the same templates."""
    root = f"{files.package}.{kind.folder}".replace(".", "/")
    for resource in files.resources:
        body = env.get_template("resource.py.jinja").render(resource=resource, kind=kind, package=files.package)
        doc = f"{resource.class_name}: what {kind.who} calls as `client.{resource.name}`."
        homes = {**_HOMES, **models}
        yield _file(f"{root}resources/{resource.name}.py", doc, body, homes, _TYPES | frozenset(models))
    homes = {
        **_HOMES,
        **models,
        "CONTRACT": f"{files.package}.contract",
        "Merchant": f"{files.package}.merchant",
        **{view.class_name: f"{files.package}.{kind.folder}resources.{view.name}" for view in files.resources},
    }
    body = env.get_template("client.py.jinja").render(files=files, kind=kind, arguments=arguments)
    lazy = _TYPES | frozenset(models) | {view.class_name for view in files.resources} | {"Any", "Contract", "Never"}
    yield _file(f"{root}client.py", f"{kind.title} of the gateway.", body, homes, lazy)


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
    "The contract as plain values: addresses, keys, echoes, codes, states and moves, and limits. Loaded a file at a time, "
    "when first asked for."
)


def _module_files(env: Environment, files: Files, module: ModuleView, models: Mapping[str, str]) -> Iterable[Rendered]:
    root = files.package.replace(".", "/")
    if module.models or module.enums:
        body = env.get_template("models.py.jinja").render(module=module)
        own = f"{files.package}.models.{module.module}"
        homes = {name: home for name, home in {**_HOMES, **models}.items() if home != own}
        doc = f"Messages and value lists of {module.file}."
        yield _file(f"{root}/models/{module.module}.py", doc, body, homes, _MODEL_TYPES | frozenset(models))
    if module.validator_table:
        yield from _validators(env, files, module)
        body = env.get_template("contract_file.py.jinja").render(module=module)
        homes = {**_HOMES, **dict.fromkeys(files.shared.names, f"{files.package}.contract._envelopes")}
        yield _file(f"{root}/contract/{module.module}.py", f"Contents of {module.file} as plain values.", body, homes)


def _formats(files: Files) -> dict[str, str]:
    """Return the module of the test of every format."""
    return {
        naming.constant(form.name): f"{files.package}.validators._formats" for form in files.contract.formats.values()
    }


_MODEL_TYPES = frozenset({"Decimal", "date", "datetime", "Mapping", "Sequence", "Literal", "Answer"})


def _package_files(env: Environment, files: Files, homes: Mapping[str, str]) -> Iterable[Rendered]:
    root = files.package.replace(".", "/")
    receiver = ReceiverView(files.contract)
    own_names = {"Client": f"{files.package}.client", **dict.fromkeys(_NAMES, f"{files.package}.contract._names")}
    own_names["Merchant"] = f"{files.package}.merchant"
    forms = MerchantView(files.contract, files.package).forms
    own_names |= {form.class_name: f"{files.package}.signatures" for form in forms}
    if forms:
        own_names["CallSignature"] = _HOMES["CallSignature"]
    if receiver:
        names = ("Receiver", *(question.class_name for question in receiver.questions))
        own_names |= dict.fromkeys(names, f"{files.package}.receiver")
    by_home: dict[str, list[str]] = {}
    for name, home in sorted({**own_names, **homes}.items()):
        by_home.setdefault(home, []).append(name)
    exports = sorted(by_home.items())
    public = sorted([*own_names, *homes, "__version__", "contract", "validate"])
    body = env.get_template("package_init.py.jinja").render(files=files, exports=exports, public=public)
    own = {name: _HOMES[name] for name in ("TYPE_CHECKING", "VERSION", "lazily")}
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
