"""Every error text of the product, found in its source, and the page that helps."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

__all__ = ["PACKAGES", "ErrorText", "error_classes", "error_texts", "page_of"]

PACKAGES = ("audit", "cli", "codegen", "generated", "receiver", "runtime", "sandbox")

# The page that helps with the errors of a folder or of modules whose names begin alike: the longest path that fits decides.
_PAGES = {
    "audit": "audit.md",
    "audit/paywright_audit/input/tables": "audit-at-scale.md",
    "audit/paywright_audit/spark": "audit-at-scale.md",
    "cli": "outcomes.md",
    "cli/paywright_cli/check_receiver": "check-receiver.md",
    "cli/paywright_cli/commands/audit.py": "audit.md",
    "cli/paywright_cli/commands/contract": "contract.md",
    "cli/paywright_cli/commands/follow": "follow.md",
    "cli/paywright_cli/commands/doctor.py": "stuck.md",
    "cli/paywright_cli/commands/key": "signatures.md",
    "cli/paywright_cli/commands/listen.py": "notifications.md",
    "cli/paywright_cli/commands/notifications.py": "notifications.md",
    "cli/paywright_cli/commands/sandbox": "sandbox.md",
    "cli/paywright_cli/common/loading.py": "follow.md",
    "cli/paywright_cli/commands/listen_server.py": "notifications.md",
    "cli/paywright_cli/spark_submit.py": "audit-at-scale.md",
    "codegen": "contract.md",
    "generated": "outcomes.md",
    "receiver": "notifications.md",
    "receiver/paywright_receiver/following": "follow.md",
    "receiver/paywright_receiver/ledgers": "ledger.md",
    "receiver/paywright_receiver/items": "items.md",
    "receiver/paywright_receiver/otel.py": "watching.md",
    "receiver/paywright_receiver/webhooks/result_effects.py": "follow.md",
    "runtime": "outcomes.md",
    "runtime/paywright_runtime/client/settings.py": "settings.md",
    "runtime/paywright_runtime/private_files.py": "security.md",
    "runtime/paywright_runtime/signing": "signatures.md",
    "sandbox": "sandbox.md",
    "sandbox/paywright_sandbox/faults": "faults.md",
}
# Words for people at the command line, and in answers of the sandbox; all other carriers are errors of the libraries.
_OTHER_CARRIERS = frozenset({"Failed", "Refusal", "Step", "Usage", "complain"})
_ROOTS = frozenset({"PaywrightError", "AuditError"})
_TABLES = {
    "runtime/paywright_runtime/client/settings.py": ("CLIENT",),
    "runtime/paywright_runtime/attempts.py": ("REASONS",),
    "runtime/paywright_runtime/error_text.py": ("ADVICE", "MOVED_NONE", "NOT_SIGNED", "READS_ONLY", "_KEYS", "_ADDRESS", "_ADVICE", "_STATUS_ADVICE"),
    "receiver/paywright_receiver/webhooks/reply.py": ("WORDS",),
}  # fmt: skip
# Classes of `errors.py` that are not about a call.
_CLASS_PAGES = {
    **dict.fromkeys(("ClaimLost", "TransactionEnded", "UnreadableNotification"), "notifications.md"),
    **dict.fromkeys(("ConfigurationError", "MissingSetting"), "settings.md"),
    "KeyProblem": "signatures.md",
    "LedgerProblem": "ledger.md",
}
_SIGNATURES = ("unsigned", "several_signatures", "bad_signature", "not_canonical")
_GAP = "…"
_WORDS = re.compile(r"[A-Za-z-]{2,}").findall


@dataclass(frozen=True, slots=True, order=True)
class ErrorText:
    """A text of an error, with `…` for what a message fills in: its page, and the stable word that comes with it, if any."""

    text: str
    page: str
    word: str = ""


def page_of(path: str) -> str:
    """Return the page that helps with the errors of a module, by its path in the checkout."""
    return _PAGES[max((each for each in _PAGES if path.startswith(each)), key=len)]


@cache
def error_classes(top: Path) -> dict[str, tuple[str, str, str]]:
    """Return every public error class: its base, the first line of its docstring, and its page."""
    found: dict[str, tuple[str, str, str]] = {}
    known = set(_ROOTS)
    waiting = [(path, node) for path, tree in _trees(top) for node in tree.body if isinstance(node, ast.ClassDef)]
    while True:
        fresh = [
            (path, node)
            for path, node in waiting
            if node.name not in found and not node.name.startswith("_")
            and (node.name in _ROOTS or {ast.unparse(base) for base in node.bases} & known)
        ]  # fmt: skip
        if not fresh:
            return dict(sorted(found.items()))
        for path, node in fresh:
            known.add(node.name)
            summary = (ast.get_docstring(node) or "").split("\n\n")[0].replace("\n", " ")
            base = next((ast.unparse(one) for one in node.bases if ast.unparse(one) in known), "")
            found[node.name] = (base, summary, _CLASS_PAGES.get(node.name, page_of(path)))


@cache
def error_texts(top: Path) -> list[ErrorText]:
    """Return every text that an error, a command, a resolver's step or a refusal of the sandbox can carry."""
    classes = _OTHER_CARRIERS | error_classes(top).keys()
    trees = _trees(top)
    # A function that makes an error carries its texts as the class does.
    carriers = classes | {
        node.name
        for _, tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.returns is not None and ast.unparse(node.returns) in classes
    }
    found: set[ErrorText] = set()
    for path, tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in carriers:
                for argument in (*node.args, *(each.value for each in node.keywords)):
                    found |= {ErrorText(text, page_of(path)) for text in _sentences(argument)}
            elif isinstance(node, (ast.Assign, ast.AnnAssign)):
                found |= set(_of_table(path, node))
    return sorted(found)


def _of_table(path: str, node: ast.Assign | ast.AnnAssign) -> Iterator[ErrorText]:
    """Yield the texts of a constant or a table of `_TABLES`, with their words."""
    target = node.targets[0] if isinstance(node, ast.Assign) else node.target
    if not isinstance(target, ast.Name) or target.id not in _TABLES.get(path, ()) or node.value is None:
        return
    if isinstance(node.value, ast.Dict):
        for key, value in zip(node.value.keys, node.value.values, strict=True):
            word = key.value if isinstance(key, ast.Constant) else ""
            if isinstance(value, ast.Call):  # a setting, whose last argument says which values it may have
                yield from (ErrorText(f"{word} is {text}", page_of(path)) for text in _templates(value.args[-1]))
                continue
            for text in _templates(value):
                yield ErrorText(text, "security.md" if word in _SIGNATURES else page_of(path), str(word))
    else:
        yield from (ErrorText(text, page_of(path)) for text in _templates(node.value))


def _sentences(node: ast.expr) -> Iterator[str]:
    """Yield the texts of an argument that are words for people, and not stable words or paths."""
    yield from (text for text in _templates(node) if " " in text and len(_WORDS(text)) > 3)


def _templates(node: ast.expr) -> Iterator[str]:
    """Yield the texts that an expression can be, each on one line."""
    yield from (" ".join(text.split()) for text in _written(node))


def _written(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield "".join(str(part.value) if isinstance(part, ast.Constant) else _GAP for part in node.values)
    elif isinstance(node, ast.IfExp):
        yield from _written(node.body)
        yield from _written(node.orelse)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        for left in list(_written(node.left)) or [_GAP]:
            yield from (f"{left}{right}" for right in list(_written(node.right)) or [_GAP])


@cache
def _trees(top: Path) -> Sequence[tuple[str, ast.Module]]:
    paths = [path for package in PACKAGES for path in sorted((top / package).rglob("*.py"))]
    return [(path.relative_to(top).as_posix(), ast.parse(path.read_text(encoding="utf-8"))) for path in paths]
