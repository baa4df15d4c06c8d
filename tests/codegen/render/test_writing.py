"""Writing what was generated: all or nothing, only what changed, no half file, no orphan."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from paywright_codegen.generation import generator, writing
from paywright_codegen.generation.generator import check, generate
from paywright_codegen.generation.writing import Project
from paywright_codegen.problems import ContractProblems
from paywright_codegen.reader.loader import load
from tests.support.contract import TOP
from tests.support.tiny import SPEC, tiny_project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    shutil.copytree(SPEC, tmp_path / "spec")
    return replace(tiny_project(tmp_path / "generated"), spec=tmp_path / "spec")


@pytest.fixture
def of_its_own(project: Project, tmp_path: Path) -> Project:
    """A project with a cache of its own, for what is done to the cache."""
    return replace(project, cache=tmp_path / "cache")


def build(project: Project) -> writing.WrittenFiles:
    return generate(project, load(project.spec))


def tree(project: Project) -> dict[str, tuple[bytes, int]]:
    return {
        path.relative_to(project.out).as_posix(): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in sorted(project.out.rglob("*"))
        if path.is_file()
    }


def edit(project: Project, old: str, new: str, file: str = "goods.yaml") -> None:
    path = project.spec / file
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.slow
def test_a_second_run_writes_nothing(project: Project) -> None:
    first = build(project)
    before = tree(project)
    second = build(project)
    assert len(first.written) == first.total == second.total == len(before)
    assert (second.written, second.removed) == ((), ())
    assert tree(project) == before


@pytest.mark.slow
def test_only_what_changed_is_written(project: Project) -> None:
    build(project)
    before = tree(project)
    edit(project, "# Goods were sent.", "# Goods have left.")
    outcome = build(project)
    assert "tinypay/openapi.json" in outcome.written
    assert len(outcome.written) < 6
    assert {path for path, state in tree(project).items() if state != before[path]} == set(outcome.written)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    key!: code max 8\n    status!", "    key!: nothing max 8\n    status!"),
        ("    post: /buy", "    post: /buy\n    post: /buy"),
        ("  goods.buy [1.1]:", "  goods.buy [1.1]:\n\tx: y"),
        ("need note", "want note"),
        ("    response: ItemList", "    response: *ItemList"),
        ("operations:", "operations: [" * 50),
    ],
)
def test_a_bad_contract_leaves_everything_as_it_was(project: Project, old: str, new: str) -> None:
    build(project)
    before = tree(project)
    text = (project.spec / "goods.yaml").read_text(encoding="utf-8")
    (project.spec / "goods.yaml").write_text(text.replace(old, new, 1), encoding="utf-8")
    assert text.replace(old, new, 1) != text
    with pytest.raises(ContractProblems):
        build(project)
    assert tree(project) == before


@pytest.mark.slow
def test_a_failed_rendering_leaves_everything(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    build(project)
    before = tree(project)
    edit(project, "# Goods were sent.", "# Goods have left.")
    contract = load(project.spec)
    monkeypatch.setattr(generator, "black_text", lambda text: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        generate(replace(project, cache=None), contract)
    assert tree(project) == before


@pytest.mark.slow
def test_it_generates_where_folders_cannot_be_locked(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    really = os.open

    def opened(path: str | Path, *arguments: int) -> int:
        if Path(path).is_dir():
            raise PermissionError(13, "Permission denied", str(path))  # as on Windows
        return really(path, *arguments)

    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setattr(os, "open", opened)
    assert len(build(project).written) == len(tree(project)) > 0


KILLED = """
import os, sys
from pathlib import Path
sys.path[:0] = {paths!r}
from dataclasses import replace as other
from paywright_codegen.generation.generator import generate
from paywright_codegen.reader.loader import load
from tests.support.tiny import tiny_project
left, really = int(sys.argv[2]), os.replace
def dying(source, target):
    global left
    left -= 1
    if left < 0:
        os._exit(9)
    really(source, target)
os.replace = dying
top = Path(sys.argv[1])
generate(other(tiny_project(top / "generated"), spec=top / "spec", cache=None), load(top / "spec"))
"""


@pytest.mark.slow
@pytest.mark.parametrize("after", [0, 1, 3])
def test_a_killed_generation_leaves_whole_files(project: Project, tmp_path: Path, after: int) -> None:
    build(project)
    old = {path: state[0] for path, state in tree(project).items()}
    edit(project, "# Goods were sent.", "# Goods have left.")
    edit(project, "# What was bought.", "# What was sold.")
    script = tmp_path / "killed.py"
    script.write_text(
        KILLED.format(
            paths=[str(TOP / folder) for folder in (".", "cli", "codegen", "generated", "receiver", "runtime")]
        )
    )
    done = subprocess.run([sys.executable, str(script), str(tmp_path), str(after)], timeout=600, env=dict(os.environ))
    assert done.returncode == 9
    middle = {path: state[0] for path, state in tree(project).items()}
    build(project)
    new = {path: state[0] for path, state in tree(project).items()}
    assert new.keys() == old.keys()
    assert new != old
    for path, content in middle.items():
        if not path.endswith(".part"):
            assert content in (old[path], new[path]), path
    assert sum(middle[path] != old[path] for path in old) == after


@pytest.mark.slow
def test_orphans_are_removed_and_caches_of_python_are_not(project: Project) -> None:
    build(project)
    orphans = [
        project.out / "tinypay" / name
        for name in ("models/gone.py", "schemas/gone.json", "gone/deep/x.txt", "x.py.part")
    ]
    kept = [project.out / "tinypay" / "__pycache__" / "x.pyc", project.out / "other" / "x.py", project.out / "readme.txt"]  # fmt: skip
    for path in (*orphans, *kept):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    outcome = build(project)
    assert sorted(outcome.removed) == sorted(path.relative_to(project.out).as_posix() for path in orphans)
    assert not any(path.exists() for path in orphans)
    assert all(path.exists() for path in kept)


@pytest.mark.slow
def test_check_is_silent_about_what_is_fresh(project: Project) -> None:
    build(project)
    assert check(project, load(project.spec)) == ""


@pytest.mark.slow
def test_check_takes_other_ends_of_lines_for_stale(project: Project) -> None:
    build(project)
    path = project.out / "tinypay" / "client.py"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert "-from __future__ import annotations\\r\n" in check(project, load(project.spec))


@pytest.mark.slow
def test_check_shows_a_diff_for_what_is_stale_missing_or_too_much(project: Project) -> None:
    build(project)
    root = project.out / "tinypay"
    before = tree(project)
    stale = root / "validators" / "goods.py"
    stale.write_text(stale.read_text(encoding="utf-8").replace("len(x) > 8", "len(x) > 9", 1), encoding="utf-8")
    (root / "schemas.json").unlink()
    (root / "models" / "gone.py").write_text("x = 1\n")
    diff = check(project, load(project.spec))
    assert "--- tinypay/validators/goods.py (committed)" in diff
    assert any(line.startswith("-") and "len(x) > 9" in line for line in diff.splitlines())
    assert any(line.startswith("+") and "len(x) > 8" in line for line in diff.splitlines())
    assert "+++ tinypay/schemas.json (contract)" in diff
    assert "-x = 1" in diff
    build(project)
    assert {path: state[0] for path, state in tree(project).items()} == {
        path: state[0] for path, state in before.items()
    }
    assert check(project, load(project.spec)) == ""


@pytest.mark.slow
def test_check_writes_nothing_and_does_not_trust_the_cache(of_its_own: Project) -> None:
    build(of_its_own)
    assert of_its_own.cache is not None
    for remembered in of_its_own.cache.iterdir():
        remembered.write_text("poisoned = True\n", encoding="utf-8")
    before = tree(of_its_own)
    assert check(of_its_own, load(of_its_own.spec)) == ""
    assert tree(of_its_own) == before


@pytest.mark.slow
def test_a_lost_broken_or_old_cache_costs_time_alone(of_its_own: Project) -> None:
    build(of_its_own)
    before = {path: state[0] for path, state in tree(of_its_own).items()}
    assert of_its_own.cache is not None
    for number, remembered in enumerate(of_its_own.cache.iterdir()):
        remembered.write_bytes(b"poisoned = True\n" if number % 2 else b"\xff\xfe")
        if number % 2:
            os.utime(remembered, (0, 0))
    assert build(of_its_own).written == ()
    shutil.rmtree(of_its_own.cache)
    build(of_its_own)
    assert {path: state[0] for path, state in tree(of_its_own).items()} == before


@pytest.mark.slow
def test_files_are_utf8_with_plain_line_ends_and_end_with_one(project: Project) -> None:
    build(project)
    for path, (content, _) in tree(project).items():
        assert b"\r" not in content, path
        assert content == b"" or content.endswith(b"\n"), path
        content.decode()


@pytest.mark.slow
def test_nothing_generated_tells_when_or_by_what_it_was_generated(project: Project) -> None:
    build(project)
    for path, (content, _) in tree(project).items():
        for word in (b"20251120", b"black", b"jinja", sys.version.split()[0].encode(), str(project.spec).encode()):
            assert word not in content.lower(), (path, word)


@pytest.mark.slow
def test_text_that_is_no_python_is_not_written(of_its_own: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    build(of_its_own)
    before = tree(of_its_own)
    edit(of_its_own, "# Goods were sent.", "# Goods have left.")
    monkeypatch.setattr(generator, "black_text", lambda text: f"{text}\ndef f(a, a): pass\n")
    with pytest.raises(SyntaxError):
        build(of_its_own)
    assert tree(of_its_own) == before


@pytest.mark.slow
def test_another_blacks_output_is_formatted_again(of_its_own: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    build(of_its_own)
    monkeypatch.setattr(generator, "version", lambda name: "99.1.0")
    monkeypatch.setattr(generator, "black_text", lambda text: f"{text}# Formatted otherwise.\n")
    assert any(path.endswith(".py") for path in build(of_its_own).written)


@pytest.mark.slow
def test_a_folder_in_the_place_of_a_file_is_said_with_words(project: Project) -> None:
    build(project)
    target = project.out / "tinypay" / "client.py"
    target.unlink()
    target.mkdir()
    with pytest.raises(ContractProblems, match="cannot be written"):
        build(project)
    target.rmdir()
    build(project)
    assert check(project, load(project.spec)) == ""


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only to root")
def test_a_folder_that_is_read_only_is_said_with_words(project: Project) -> None:
    build(project)
    before = tree(project)
    edit(project, "# Goods were sent.", "# Goods have left.")
    folder = project.out / "tinypay"
    folder.chmod(0o500)
    try:
        with pytest.raises(ContractProblems, match="cannot be written"):
            build(project)
        assert tree(project) == before
    finally:
        folder.chmod(0o700)


@pytest.mark.slow
def test_a_file_in_the_place_of_the_folder_is_said_with_words(project: Project) -> None:
    project.out.write_text("x", encoding="utf-8")
    with pytest.raises(ContractProblems, match="cannot be written"):
        build(project)
    assert project.out.read_text(encoding="utf-8") == "x"


@pytest.mark.slow
def test_a_pipe_or_a_link_in_the_place_of_a_file_is_replaced(project: Project, tmp_path: Path) -> None:
    build(project)
    before = {path: state[0] for path, state in tree(project).items()}
    outside = tmp_path / "outside.py"
    outside.write_text("mine", encoding="utf-8")
    root = project.out / "tinypay"
    for name in ("client.py", "receiver.py", "schemas.json"):
        (root / name).unlink()
    os.mkfifo(root / "client.py")
    (root / "receiver.py").symlink_to(outside)
    (root / "schemas.json").symlink_to("/nowhere/at/all")
    build(project)
    assert {path: state[0] for path, state in tree(project).items()} == before
    assert not (root / "receiver.py").is_symlink()
    assert outside.read_text(encoding="utf-8") == "mine"


@pytest.mark.slow
def test_a_link_that_leads_to_itself_is_left_alone(project: Project) -> None:
    build(project)
    loop = project.out / "tinypay" / "loop"
    loop.symlink_to(loop)
    assert build(project).written == ()
    assert check(project, load(project.spec)) == ""


@pytest.mark.slow
def test_a_second_generator_waits_for_the_first(project: Project) -> None:
    with ThreadPoolExecutor(1) as pool:
        with writing.alone(project):
            second = pool.submit(build, project)
            with pytest.raises(TimeoutError):
                second.result(timeout=0.2)
            assert tree(project) == {}
        assert second.result().total > 0
    assert check(project, load(project.spec)) == ""
