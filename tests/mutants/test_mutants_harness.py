"""The harness of `make mutants`: what it draws is a changed program, the same for the same seed."""

from __future__ import annotations

import ast
import json
import signal
import time
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("cosmic_ray")

from cosmic_ray.mutating import mutate_code

from tests.mutants.__main__ import MONEY, PACKAGES, TOP, modules
from tests.mutants.coverage_map import CoverageMap, record
from tests.mutants.forks import CODE, Chosen, Fork, run_all, run_tests
from tests.mutants.operators import OPERATORS
from tests.mutants.sites import drawn, sites

pytestmark = pytest.mark.full

_MODULE = '''"""A module."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from decimal import Decimal


def most(one: int | None, other: int | None = None) -> int | None:
    """The larger."""
    left: int | None = one
    if left is None or (other is not None and other > left):
        return other
    for _ in range(3):
        left = left + 1 - 1
    return left
'''


@pytest.fixture
def module(tmp_path: Path) -> Path:
    path = tmp_path / "module.py"
    path.write_text(_MODULE, encoding="utf-8")
    return path


def test_every_mutant_compiles_and_is_another_program(module: Path) -> None:
    mutants = list(drawn([module], 100, "seed"))
    assert len(mutants) > 8
    for mutant in mutants:
        ast.parse(mutant.text)
        assert mutant.text != _MODULE
        assert mutant.before != mutant.after
        assert _MODULE.splitlines()[mutant.line - 1].strip() in mutant.before


def test_annotations_are_left_alone(module: Path) -> None:
    assert all("->" not in mutant.before and "left:" not in mutant.before for mutant in drawn([module], 100, "seed"))


def test_imports_for_types_alone_are_left_alone(module: Path) -> None:
    assert all("TYPE_CHECKING" not in mutant.before for mutant in drawn([module], 100, "seed"))


def test_functions_that_say_nothing_are_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text("from typing import overload\n\n\n@overload\ndef one(at: None = None) -> None: ...\n")
    assert list(drawn([path], 100, "seed")) == []


def test_operators_are_exchanged_for_their_like(module: Path) -> None:
    operators = {name for site in sites(module) for name, _ in site.choices}
    assert "core/ReplaceComparisonOperator_Gt_LtE" in operators
    assert not {name for name in operators if name.endswith(("_Gt_Is", "_Is_Gt", "_Add_RShift", "_Sub_Pow"))}


def test_the_same_seed_draws_the_same(module: Path) -> None:
    one, same, other = (list(drawn([module], 5, seed)) for seed in ("a", "a", "b"))
    assert one == same != other


@pytest.mark.parametrize("name", OPERATORS)
def test_our_operators_do_what_their_examples_say(name: str) -> None:
    for example in OPERATORS[name].examples():
        assert (
            mutate_code(example.pre_mutation_code, OPERATORS[name](), example.occurrence) == example.post_mutation_code
        )


def test_comparisons_within_sql_are_changed_wherever_it_stands(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(
        '# a > b\nWHERE = f"""\nSELECT {1} WHERE a > {2}\n  AND b IS NULL""" "OR IGNORE c < d" and "a > b"\n'
    )
    found = {(site.line, site.column) for site in sites(path) if site.family == "ChangeSql"}
    assert found == {(3, 18), (4, 1), (4, 7), (4, 31)}


def test_a_package_within_another_is_its_own_alone() -> None:
    every = [path for package in PACKAGES for path in modules(package)]
    assert len(every) == len(set(every))
    assert TOP / "audit" / "paywright_audit" / "cross_exchange" / "row_store.py" in modules("audit-rules")
    assert TOP / "audit" / "paywright_audit" / "auditor.py" in modules("audit")


def test_the_modules_that_decide_about_money_are_there() -> None:
    every = {path.relative_to(TOP).as_posix() for package in PACKAGES for path in modules(package)}
    assert set(MONEY) <= every


# Which tests are run for a mutant

_RUN = """from functools import cache

LIMIT = 3


def most(one, other):
    if one > other:
        return one
    return (
        other
    )


@cache
def kept():
    return LIMIT
"""


def covered(tmp_path: Path, lines: dict[str, list[int]], text: str = _RUN, **more: Any) -> tuple[CoverageMap, Path]:
    """A map of tests `tests/test_a.py::one` and so on, a second each, that run these lines of a module."""
    path = tmp_path / "module.py"
    path.write_text(_RUN)
    digest = sha256(text.encode()).hexdigest()
    found = CoverageMap(tmp_path)
    for file in sorted({test.partition("::")[0] for test in lines}):
        (tmp_path / file).touch()
        tests = [test for test in lines if test.startswith(file)]
        run = {str(at): [place for place, test in enumerate(tests) if at in lines[test]] for at in range(1, 20)}
        seconds = dict.fromkeys(tests, more.get(file[-1], 1.0))
        found.add({"seconds": seconds, "failed": [], "modules": {"module.py": {"digest": digest, "lines": run}}})
    return found, path


def test_the_tests_that_run_the_statement_are_chosen_those_of_fast_files_first(tmp_path: Path) -> None:
    found, path = covered(tmp_path, {"a::1": [7], "a::2": [7, 9], "b::1": [7, 8], "c::1": [9], "d::1": []}, a=9.0)
    assert found.tests_of(path, 7) == ["b::1", "a::1", "a::2"]
    assert found.tests_of(path, 8) == ["b::1"]
    assert found.tests_of(path, 10) == found.tests_of(path, 9) == ["c::1", "a::2"]


def test_what_runs_once_for_all_is_tried_by_all_tests_of_the_module(tmp_path: Path) -> None:
    found, path = covered(tmp_path, {"a::1": [3], "b::1": [16], "c::1": [7], "d::1": []})
    assert found.tests_of(path, 3) == ["a::1", "b::1", "c::1"]
    assert found.tests_of(path, 16) == ["b::1", "a::1", "c::1"]


def test_what_no_test_was_seen_to_run_is_tried_by_all(tmp_path: Path) -> None:
    found, path = covered(tmp_path, {"a::1": [], "b::1": []})
    assert found.tests_of(path, 8) == ["a::1", "b::1"]


def test_where_none_was_seen_to_run_it_those_named_like_it_come_first(tmp_path: Path) -> None:
    found, path = covered(tmp_path, {f"{name}::1": [7] for name in "abcdef"} | {"module_too::1": [], "z::1": [7]})
    assert found.tests_of(path, 8)[:6] == ["module_too::1", *(f"{name}::1" for name in "abcde")]
    assert found.tests_of(path, 8)[6:] == ["f::1", "z::1"]


def test_of_a_module_that_has_changed_since_no_line_is_believed(tmp_path: Path) -> None:
    found, path = covered(tmp_path, {"a::1": [7], "b::1": []}, text=f"{_RUN}# before\n")
    assert found.tests_of(path, 8) == ["a::1"]


def test_what_a_new_module_holds_may_have_been_moved_out_of_one_that_changed(tmp_path: Path) -> None:
    inside = tmp_path / "runtime" / "paywright_runtime"
    inside.mkdir(parents=True)
    found = CoverageMap(tmp_path)
    digests: dict[str, str] = {}
    for name in ("changed", "gone", "same"):
        digests[name] = sha256(_RUN.encode()).hexdigest()
        (inside / f"{name}.py").write_text(_RUN if name == "same" else f"{_RUN}# after\n")
        (tmp_path / name[0]).touch()
        ran = {"digest": digests[name], "lines": {"7": [0, -1]}}
        modules = {f"runtime/paywright_runtime/{name}.py": ran}
        found.add({"seconds": {f"{name[0]}::1": 1.0}, "failed": [], "modules": modules})
    (inside / "gone.py").unlink()
    (inside / "new.py").write_text(_RUN)
    assert found.tests_of(inside / "same.py", 7) == ["s::1"]
    (tmp_path / "s").write_text("paywright_runtime.new")  # named like it: before the others, whatever it ran
    assert found.tests_of(inside / "new.py", 7) == ["s::1", "c::1", "g::1"]


def test_what_ran_while_tests_were_collected_is_tried_by_all_of_their_file(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(_RUN)
    found = CoverageMap(tmp_path)
    ran = {"digest": sha256(_RUN.encode()).hexdigest(), "lines": {"7": [0], "8": [0, -1]}}
    found.add({"seconds": {"a::1": 1.0, "a::2": 1.0}, "failed": [], "modules": {"module.py": ran}})
    assert found.tests_of(path, 7) == ["a::1"]
    assert found.tests_of(path, 8) == ["a::1", "a::2"]


def test_files_of_tests_that_are_named_like_the_module_come_first(tmp_path: Path) -> None:
    names = [
        "tests/runtime/test_errors.py",
        "tests/runtime/client/test_call.py",
        "tests/runtime/client/test_retries.py",
    ]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("from paywright_runtime.client.codec import x\n" if "call" in name else "")
    found = CoverageMap(tmp_path)
    path = tmp_path / "runtime" / "paywright_runtime" / "client" / "retrying.py"
    assert found.alike(path, names)[-1] == names[0]
    assert found.alike(path.with_name("codec.py"), names)[0] == names[1]


def test_no_test_begins_when_the_time_is_over(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_a.py").write_text("def test_red():\n    assert False\n")
    for seconds, code in (60.0, 1), (0.0, 0):
        chosen = Chosen([], ["tests/test_a.py"], seconds)
        fork = Fork(lambda chosen=chosen: run_tests(tmp_path, TOP, ["tests/test_a.py"], chosen), tmp_path)
        assert [code for *_, code in run_all([1], lambda *_, fork=fork: fork, [tmp_path], 60.0)] == [code]


def test_a_test_is_recorded_with_the_lines_that_it_runs(tmp_path: Path) -> None:
    pytest.importorskip("coverage")
    copy = tmp_path / "copy"
    for folder in ("tests", *CODE):
        (copy / folder).mkdir(parents=True)
    (copy / "runtime" / "module.py").write_text(_RUN)
    (copy / "tests" / "test_a.py").write_text(
        "from module import most\n\n\ndef test_one():\n    assert most(2, 1) == 2\n\n\n"
        "def test_other():\n    assert most(1, 2) == 2\n\n\ndef test_red():\n    assert most(1, 2) == 1\n"
    )
    into = tmp_path / "kept.json"
    fork = Fork(lambda: record(copy, TOP, "tests/test_a.py", into), copy)
    assert [code for *_, code in run_all([1], lambda *_: fork, [copy], 60.0)] == [0]
    found = CoverageMap(copy)
    found.add(json.loads(into.read_bytes()))
    assert found.failed == ["tests/test_a.py::test_red"]
    assert found.tests_of(copy / "runtime" / "module.py", 8) == ["tests/test_a.py::test_one"]
    assert found.tests_of(copy / "runtime" / "module.py", 9) == ["tests/test_a.py::test_other"]
    chosen = ["tests/test_a.py::test_one", "tests/test_a.py::test_red"]
    for tests, code in (chosen[:1], 0), (chosen, 1), (["tests/test_a.py::gone"], 5):
        fork = Fork(lambda tests=tests: run_tests(copy, TOP, ["tests/test_a.py"], Chosen(tests)), copy)
        assert [code for *_, code in run_all([1], lambda *_, fork=fork: fork, [copy], 60.0)] == [code]


def test_a_fork_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    def endless() -> int:
        while True:
            time.sleep(1)

    ended = list(run_all(["job"], lambda *_: Fork(endless, tmp_path), [tmp_path], 0.2))
    assert ended == [("job", tmp_path, -signal.SIGKILL)]
