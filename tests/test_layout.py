"""The layout of the packages: who imports whom, what an import loads, and where the version stands."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path

import pytest

from docs.building.python_api import MODULES as PUBLIC_MODULES

TOP = Path(__file__).resolve().parents[1]
PACKAGES = {
    "paywright": TOP / "generated" / "paywright",
    "paywright_codegen": TOP / "codegen" / "paywright_codegen",
    "paywright_receiver": TOP / "receiver" / "paywright_receiver",
    "paywright_runtime": TOP / "runtime" / "paywright_runtime",
    "paywright_audit": TOP / "audit" / "paywright_audit",
    "paywright_cli": TOP / "cli" / "paywright_cli",
    "paywright_sandbox": TOP / "sandbox" / "paywright_sandbox",
}
MAY_IMPORT = {
    "paywright": {"paywright_receiver", "paywright_runtime"},
    "paywright_codegen": {"paywright_runtime"},
    "paywright_receiver": {"paywright_runtime"},
    "paywright_runtime": set[str](),
    "paywright_audit": {"paywright", "paywright_runtime"},
    "paywright_cli": {"paywright", "paywright_audit", "paywright_receiver", "paywright_runtime", "paywright_sandbox"},
    "paywright_sandbox": {"paywright", "paywright_receiver", "paywright_runtime"},
}
# The only places where the command line may use the generator: `paywright contract`, and what is generated from what.
GENERATOR_USERS = {
    "paywright_cli.commands.contract",
    "paywright_cli.commands.contract_diff",
    "paywright_cli.commands.contract_package",
    "paywright_cli.commands.contract_reading",
}
# Fixtures for the tests of others: whoever loads it has pytest.
PYTEST_PLUGIN = "paywright_sandbox.testing.pytest"
# What is awaited, the only places that need the extra `async`.
AWAITED = {"paywright_receiver.following.aio", "paywright_runtime.client.aio", "paywright_runtime.transport.aio"}
# What a merchant has who uses it: each is imported by its own module alone.
ADAPTERS = {
    "paywright_audit.recording.clients": {"httpx"},
    "paywright_receiver.django": {"django"},
    "paywright_receiver.fastapi": {"fastapi"},
    "paywright_receiver.flask": {"flask", "werkzeug"},
    "paywright_receiver.otel": {"opentelemetry"},
    "paywright_receiver.ledgers.mariadb": {"pymysql"},
    "paywright_receiver.ledgers.mariadb_connections": {"pymysql"},
    "paywright_receiver.ledgers.postgres": {"psycopg"},
    "paywright_receiver.ledgers.postgres_connections": {"psycopg"},
    "paywright_receiver.ledgers.postgres_guard": {"psycopg"},
    "paywright_receiver.ledgers.postgres_text": {"psycopg"},
    "paywright_receiver.starlette": {"starlette"},
    "paywright_sandbox.testing.strategies": {"hypothesis"},
}
MAY_NEED = {
    "paywright": set[str](),
    "paywright_codegen": {"black", "jinja2", "markdown_it", "yaml"},
    "paywright_receiver": set[str](),  # but for the adapters, below
    "paywright_runtime": {"cryptography"},
    "paywright_audit": {"cryptography", "jinja2", "msgspec", "pyarrow", "zstandard"},
    "paywright_cli": {"cryptography", "starlette", "uvicorn"},
    "paywright_sandbox": {"cryptography", "jinja2", "segno", "starlette", "uvicorn"},
}

# The folders of a package, the lowest first: each imports only those before it. A point is the package itself.


def folders_of(package: str, names: str) -> tuple[str, ...]:
    return tuple(package if folder == "." else f"{package}.{folder}" for folder in names.split())


CODEGEN_ORDER = folders_of(
    "paywright_codegen",
    "model . reader lint render.views render documents reference generation diff",
)
RUNTIME_ORDER = folders_of("paywright_runtime", ". strict_json contract signing transport settling client")
RECEIVER_ORDER = folders_of("paywright_receiver", "items ledgers.sql webhooks ledgers following .")
SANDBOX_ORDER = folders_of(
    "paywright_sandbox",
    "engine.state engine faults delivery resources.payments resources.subscriptions resources.orders resources ."
    " control pages http testing",
)


def modules(package: str) -> Iterator[tuple[str, ast.Module]]:
    root = PACKAGES[package]
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root.parent).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        yield name, ast.parse(path.read_text(encoding="utf-8"))


def imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield node.module or ""


def loaded_at_import(tree: ast.Module) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What a module imports while it is imported itself: not in functions, not for type checkers alone."""
    waiting: list[ast.AST] = list(tree.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            yield from ((alias.name, ()) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or "", tuple(alias.name for alias in node.names)
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            waiting += node.orelse
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            waiting += ast.iter_child_nodes(node)


@pytest.mark.slow
@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_imports_only_what_stands_below_it(package: str) -> None:
    for name, tree in modules(package):
        allowed = MAY_IMPORT[package] | {package}
        if name in GENERATOR_USERS:
            allowed = allowed | {"paywright_codegen"}
        ours = {target.split(".")[0] for target in imported(tree)} & set(PACKAGES)
        assert ours <= allowed, f"{name} imports {sorted(ours - allowed)}"


@pytest.mark.slow
@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_needs_only_the_distributions_that_are_declared_for_it(package: str) -> None:
    for name, tree in modules(package):
        foreign = {target.split(".")[0] for target in imported(tree)} - set(sys.stdlib_module_names) - set(PACKAGES)
        allowed = MAY_NEED[package] | ({"pytest"} if name == PYTEST_PLUGIN else set())
        allowed = allowed | ADAPTERS.get(name, set())
        allowed = allowed | ({"anyio"} if name in AWAITED else set())
        assert foreign <= allowed, f"{name} imports {sorted(foreign - allowed)}"


def test_the_generator_and_what_lists_the_commands_do_not_need_the_generated_package() -> None:
    for name, tree in modules("paywright_cli"):
        if name in ("paywright_cli.main", *GENERATOR_USERS) or name.startswith("paywright_cli.common."):
            assert "paywright" not in {target.split(".")[0] for target, _ in loaded_at_import(tree)}, name


Arrow = tuple[str, str]


@cache
def files() -> dict[str, Path]:
    found: dict[str, Path] = {}
    for root in PACKAGES.values():
        for path in sorted(root.rglob("*.py")):
            parts = path.relative_to(root.parent).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def arrows() -> dict[Arrow, str]:
    """All imports between our modules, with the place of the first line of each: in functions and for type checkers too."""
    trees = {name: (path, ast.parse(path.read_text(encoding="utf-8"))) for name, path in files().items()}
    found: dict[Arrow, str] = {}
    for name, (path, tree) in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                targets = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                parts = [f"{node.module}.{alias.name}" for alias in node.names]
                targets = [part if part in trees else str(node.module) for part in parts]
            else:
                continue
            for target in targets:
                if target in trees and target != name:
                    found.setdefault((name, target), f"{path.relative_to(TOP)}:{node.lineno}")
    return found


def folder(module: str) -> str:
    """The folder of a module, as the name of a package."""
    return module if files()[module].name == "__init__.py" else module.rpartition(".")[0]


def circle(graph: dict[str, set[str]]) -> list[str]:
    """The names of a circle, the first once more at the end; empty where there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(reversed(error.args[1]))
    return []


def circles(between: Callable[[str], str], imports: Mapping[Arrow, str]) -> list[str]:
    """The lines that close a circle: an import for each of its steps."""
    graph: dict[str, set[str]] = {}
    lines: dict[Arrow, str] = {}
    for (module, target), place in imports.items():
        step = between(module), between(target)
        if step[0] != step[1]:
            graph.setdefault(step[0], set()).add(step[1])
            lines.setdefault(step, f"{place}: {module} imports {target}")
    names = circle(graph)
    return [lines[step] for step in pairwise(names)]


@pytest.mark.slow
@pytest.mark.parametrize("between", [str, folder], ids=["modules", "folders"])
def test_no_imports_close_a_circle(between: Callable[[str], str]) -> None:
    assert circles(between, arrows()) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "folders",
    [CODEGEN_ORDER, RUNTIME_ORDER, RECEIVER_ORDER, SANDBOX_ORDER],
    ids=["codegen", "runtime", "receiver", "sandbox"],
)
def test_a_folder_imports_only_folders_below_it(folders: tuple[str, ...]) -> None:
    order = {name: number for number, name in enumerate(folders)}
    package = folders[0].partition(".")[0]
    assert {folder(name) for name in files() if name.partition(".")[0] == package} == set(order)
    wrong = [
        f"{place}: {module} imports {target}"
        for (module, target), place in arrows().items()
        if folder(module) in order and order[folder(module)] < order.get(folder(target), -1)
    ]
    assert wrong == []


# Where the web frameworks with an adapter are listed.
FRAMEWORKS_IN = (
    "README.md", "pyproject.toml", "docs/notifications.md", "docs/signatures.md", "docs/building/python_api.py",
    "receiver/paywright_receiver/__init__.py", "receiver/paywright_receiver/webhooks/processing.py", "tests/receiver/helpers/web_servers.py",
)  # fmt: skip


@pytest.mark.parametrize("place", FRAMEWORKS_IN)
def test_a_web_framework_with_an_adapter_is_named_where_they_are_listed(place: str) -> None:
    adapters = {module for module in ADAPTERS if module.startswith("paywright_receiver.") and module.count(".") == 1}
    text = (TOP / place).read_text(encoding="utf-8").lower()
    missing = {module for module in adapters - {"paywright_receiver.otel"} if module.rpartition(".")[2] not in text}
    assert not missing, f"{place} does not name {', '.join(sorted(missing))}"


# One tree of errors, and two state machines of one class each: their parts are read together.
LONG = {
    "paywright_runtime/errors.py",
    "paywright_runtime/settling/resolution.py",
    "paywright_receiver/items/follow_state.py",
}


@pytest.mark.parametrize("package", sorted(set(PACKAGES) - {"paywright"}))
def test_a_module_is_at_most_400_lines_long(package: str) -> None:
    root = PACKAGES[package].parent
    lines = {
        path.relative_to(root).as_posix(): len(path.read_bytes().splitlines())
        for path in PACKAGES[package].rglob("*.py")
    }
    assert {path for path, count in lines.items() if count > 400} == {path for path in LONG if path in lines}


def test_only_a_public_module_lists_its_names() -> None:
    listing = {
        name
        for name, path in files().items()
        if not name.startswith("paywright.")
        and re.search(r"^__all__\b", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert listing <= PUBLIC_MODULES.keys(), "an underscore says that a name is private"


BY_MEANING = {"Exchange", "Question", "Report"}
"""Public names, each the field's word in its package."""


def test_a_class_has_a_name_of_its_own() -> None:
    homes: dict[str, set[str]] = {}
    for name in files():
        for word in re.findall(r"^class (\w+)", files()[name].read_text(encoding="utf-8"), re.MULTILINE):
            homes.setdefault(word, set()).add(name)
    model_and_form = {"paywright_codegen.model", "paywright_runtime.contract"}
    shared = {
        name: modules
        for name, modules in homes.items()
        if len({one.partition(".")[0] for one in modules}) > 1
        and not {".".join(one.split(".")[:2]) for one in modules} <= model_and_form
    }
    assert shared.keys() <= BY_MEANING, shared


PRONOUN = re.compile(r"(What|How|Where|Whether|Who|Whom|Whose|When|Which)\b")


def test_a_docstring_begins_with_a_verb_or_a_noun() -> None:
    wrong = [
        f"{path}:{node.lineno}: {node.value.value.strip().splitlines()[0]}"
        for path in files().values()
        if re.search(rf"[\"'\\s]{PRONOUN.pattern}", text := path.read_text(encoding="utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
        and PRONOUN.match(node.value.value.strip())
    ]
    assert wrong == []


@pytest.mark.parametrize("between", [str, folder], ids=["modules", "folders"])
def test_a_circle_is_shown_with_the_lines_that_close_it(between: Callable[[str], str]) -> None:
    below, above = "paywright_runtime.errors", "paywright_runtime.client.client"
    shown = circles(between, {(below, above): "errors.py:1", (above, below): "client.py:2"})
    assert sorted(shown) == [
        "client.py:2: paywright_runtime.client.client imports paywright_runtime.errors",
        "errors.py:1: paywright_runtime.errors imports paywright_runtime.client.client",
    ]


def run(code: str) -> str:
    """What a fresh interpreter prints that has the packages of the SDK on its path."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(str(PACKAGES[name].parent) for name in PACKAGES)},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_importing_paywright_loads_no_resource_no_model_and_no_contract() -> None:
    loaded = run("import sys, paywright; print(*(n for n in sys.modules if n.startswith('paywright.')))").split()
    assert loaded == []


def test_one_resource_loads_neither_the_others_nor_any_model() -> None:
    code = (
        "import sys\n"
        "from paywright import Client\n"
        "Client.refunds.func(type('C', (), {'_call': None, 'resolve': None}))\n"
        "print(*(n for n in sys.modules if n.startswith(('paywright.resources.', 'paywright.models.'))))"
    )
    assert run(code).split() == ["paywright.resources.refunds"]


def test_the_sdk_loads_nothing_that_a_bare_install_lacks_and_no_event_loop() -> None:
    code = (
        "import sys\n"
        "import paywright\n"
        "for name in paywright.__all__: getattr(paywright, name)\n"
        "print(*{n.split('.')[0] for n in sys.modules})"
    )
    loaded = set(run(code).split())
    assert not loaded & {"yaml", "jinja2", "jsonschema", "black", "starlette", "uvicorn", "anyio", "asyncio"}
    assert not loaded & {"paywright_codegen", "paywright_cli"}


def test_a_receiver_needs_no_transport_and_no_client() -> None:
    code = (
        "import sys\n"
        "from paywright import Receiver\n"
        "from paywright_receiver import MemoryLedger, SqliteLedger\n"
        "print(*sys.modules)"
    )
    loaded = set(run(code).split())
    assert not loaded & {
        "paywright_runtime.transport",
        "asyncio",
        "logging",
        "paywright.client",
        "paywright_runtime.client.client",
    }
    assert not [name for name in loaded if name.startswith(("paywright.models.", "paywright.resources."))]


def test_the_version_stands_in_one_place() -> None:
    from paywright import __version__
    from paywright_runtime.version import VERSION

    project = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))
    assert "version" in project["project"]["dynamic"]
    assert project["tool"]["hatch"]["version"]["path"] == "runtime/paywright_runtime/version.py"
    assert __version__ == VERSION
    literal = f'"{VERSION}"'
    roots = [PACKAGES[name] for name in PACKAGES]
    found = [path.name for root in roots for path in root.rglob("*.py") if literal in path.read_text(encoding="utf-8")]
    assert found == ["version.py"]


def test_tests_are_linted_whatever_their_folder_is_called() -> None:
    project = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))
    left_out = project["tool"]["ruff"]["extend-exclude"]
    assert left_out == ["generated/paywright", "tests/codegen/golden"]  # by path: a bare name is left out everywhere


def test_every_package_says_that_it_is_typed() -> None:
    assert all((root / "py.typed").is_file() for root in PACKAGES.values())


def test_what_a_bare_install_needs_is_one_distribution() -> None:
    project = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert [need.split(">=")[0] for need in project["dependencies"]] == ["cryptography"]
    assert "black==26.10.1" in project["optional-dependencies"]["codegen"]


def test_extras_that_commands_name_are_declared() -> None:
    from paywright_cli.common.terminal import EXTRAS

    declared = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    modules_of = {"pyyaml": "yaml", "markdown-it-py": "markdown_it"}
    for extra, names in EXTRAS.items():
        needed = {modules_of.get(name, name) for name in (need.split(">")[0].split("=")[0] for need in declared[extra])}
        # Those that a command does without: h11 serves instead, lines are read by the standard library, newer Pythons read zstd
        # themselves.
        assert set(names) == needed - {"httptools", "msgspec", "zstandard"}
