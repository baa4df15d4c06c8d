"""The layout of the house: who imports whom, what an import loads, and where the version stands."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[1]
PACKAGES = {
    "paywright": TOP / "generated" / "paywright",
    "paywright_codegen": TOP / "codegen" / "paywright_codegen",
    "paywright_receiver": TOP / "receiver" / "paywright_receiver",
    "paywright_runtime": TOP / "runtime" / "paywright_runtime",
    "paywright_tools": TOP / "tools" / "paywright_tools",
}
MAY_IMPORT = {
    "paywright": {"paywright_runtime"},
    "paywright_codegen": set[str](),
    "paywright_receiver": {"paywright", "paywright_runtime"},
    "paywright_runtime": set[str](),
    "paywright_tools": {"paywright", "paywright_receiver", "paywright_runtime"},
}
# The only places where tools may use the generator: `paywright contract`, and what is generated from what.
GENERATOR_USERS = {"paywright_tools.commands.contract", "paywright_tools.project"}
# Fixtures for the tests of others: whoever loads it has pytest.
PYTEST_PLUGIN = "paywright_tools.sandbox.pytest"
# What is awaited, the only place that needs the extra `async`.
AWAITED = "paywright_runtime.aio"
# What a merchant has who uses it: each is imported by its own module alone.
ADAPTERS = {
    "paywright_receiver.django": {"django"},
    "paywright_receiver.fastapi": {"fastapi"},
    "paywright_receiver.flask": {"flask", "werkzeug"},
    "paywright_receiver.postgres": {"psycopg"},
    "paywright_receiver.postgres_connections": {"psycopg"},
    "paywright_receiver.postgres_guard": {"psycopg"},
    "paywright_receiver.starlette": {"starlette"},
}
MAY_NEED = {
    "paywright": set[str](),
    "paywright_codegen": {"black", "jinja2", "jsonschema", "yaml"},
    "paywright_receiver": set[str](),  # but for the adapters, below
    "paywright_runtime": {"cryptography", "urllib3"},
    "paywright_tools": {"cryptography", "jinja2", "starlette", "uvicorn"},
}


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


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_imports_only_what_stands_below_it(package: str) -> None:
    for name, tree in modules(package):
        allowed = MAY_IMPORT[package] | {package}
        if name in GENERATOR_USERS:
            allowed = allowed | {"paywright_codegen"}
        ours = {target.split(".")[0] for target in imported(tree)} & set(PACKAGES)
        assert ours <= allowed, f"{name} imports {sorted(ours - allowed)}"


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_needs_only_the_distributions_that_are_declared_for_it(package: str) -> None:
    for name, tree in modules(package):
        foreign = {target.split(".")[0] for target in imported(tree)} - set(sys.stdlib_module_names) - set(PACKAGES)
        allowed = MAY_NEED[package] | ({"pytest"} if name == PYTEST_PLUGIN else set())
        allowed = allowed | ADAPTERS.get(name, set())
        allowed = allowed | ({"anyio"} if f"{name}.".startswith(f"{AWAITED}.") else set())
        assert foreign <= allowed, f"{name} imports {sorted(foreign - allowed)}"


def test_the_commands_that_need_the_generated_package_import_it_only_when_they_run() -> None:
    for name, tree in modules("paywright_tools"):
        if name.startswith("paywright_tools.commands") or name in ("paywright_tools.cli", "paywright_tools.project"):
            assert "paywright" not in {target.split(".")[0] for target, _ in loaded_at_import(tree)}, name


def test_no_modules_import_one_another_in_a_circle() -> None:
    trees = {name: tree for package in PACKAGES for name, tree in modules(package)}
    graph: dict[str, set[str]] = {}
    for name, tree in trees.items():
        below = graph.setdefault(name, set())
        for target, names in loaded_at_import(tree):
            parts = {f"{target}.{part}" for part in names} & set(trees)
            below |= parts or ({target} & set(trees))
        below.discard(name)
    try:
        order = list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        pytest.fail(f"a circle of imports: {' -> '.join(error.args[1])}")
    assert set(trees) <= set(order)


def run(code: str) -> str:
    """What a fresh interpreter prints that has the packages of the SDK on its path."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(str(PACKAGES[name].parent) for name in PACKAGES)},
        capture_output=True,
        text=True,
        timeout=60,
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
        "Client.refunds.func(type('C', (), {'_call': None, '_resolve': None}))\n"
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
    assert not loaded & {"paywright_codegen", "paywright_tools"}


def test_a_receiver_needs_no_transport_and_no_client() -> None:
    code = (
        "import sys\n"
        "from paywright import Receiver\n"
        "from paywright_receiver import MemoryLedger, SqliteLedger\n"
        "print(*sys.modules)"
    )
    loaded = set(run(code).split())
    assert not loaded & {"urllib3", "asyncio", "logging", "paywright.client", "paywright_runtime.client"}
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


def test_every_package_says_that_it_is_typed() -> None:
    assert all((root / "py.typed").is_file() for root in PACKAGES.values())


def test_what_a_bare_install_needs_is_two_distributions() -> None:
    project = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = {need.split(">")[0] for need in project["dependencies"]}
    assert names == {"cryptography", "urllib3"}
    assert "black==26.10.1" in project["optional-dependencies"]["codegen"]


def test_extras_that_commands_name_are_declared() -> None:
    from paywright_tools.terminal import EXTRAS

    declared = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    modules_of = {"pyyaml": "yaml"}
    for extra, names in EXTRAS.items():
        needed = {modules_of.get(name, name) for name in (need.split(">")[0].split("=")[0] for need in declared[extra])}
        # Those that a command does without: h11 serves instead, there is no progress bar, newer Pythons read zstd themselves.
        assert set(names) == needed - {"httptools", "rich", "zstandard"}
