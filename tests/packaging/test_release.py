"""The release workflow runs our own targets, on every Python that is claimed, and publishes without a token."""

from __future__ import annotations

import os
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from paywright_runtime.version import VERSION

TOP = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))
JOBS: dict[str, Any] = yaml.safe_load((TOP / ".github/workflows/release.yml").read_text(encoding="utf-8"))["jobs"]
STEPS = [step for job in JOBS.values() for step in job["steps"]]
HOSTILE = (
    '";touch${IFS}ran;"', "$(shell touch ran)", "$(touch ran)", "`touch ran`", "';touch ran;'", "\nv1", "-rc1", "x",
)  # fmt: skip
TARGETS = re.findall(r"^([a-z-]+):", (TOP / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)


def test_each_step_is_a_target_of_ours_or_an_action_at_a_fixed_commit() -> None:
    runs = [step["run"] for step in STEPS if "run" in step]
    assert {re.fullmatch(r"make ([a-z-]+)( PYTHON=python)?", run)[1] for run in runs} <= set(TARGETS)  # type: ignore[index]
    assert all(re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", step["uses"]) for step in STEPS if "run" not in step)


def test_what_is_checked_on_a_submission_is_checked_before_a_release() -> None:
    submitted = re.findall(r"^make [a-z-]+", (TOP / ".ci/run").read_text(encoding="utf-8"), re.MULTILINE)
    released = [" ".join(step.get("run", "").split()[:2]) for step in STEPS]
    assert set(submitted) <= set(released)
    assert JOBS["publish"]["needs"] == "build"
    assert JOBS["build"]["needs"] == ["test", "check"]


def test_tests_that_need_the_type_checkers_run_where_these_are_installed() -> None:
    recipes = dict(re.findall(r"^([a-z-]+):.*\n\t@?\$\(PYTEST\) (.*)$", (TOP / "Makefile").read_text(), re.MULTILINE))
    assert "-m types" in recipes["check-samples"]
    assert "not types" in recipes["test-slow"]
    marked = {path for path in (TOP / "tests").rglob("test_*.py") if "mark.types" in path.read_text(encoding="utf-8")}
    assert {TOP / word for word in recipes["check-samples"].split() if "/" in word} == marked - {Path(__file__)}


def test_every_python_of_the_classifiers_is_tried() -> None:
    claimed = re.findall(r"Python :: (3\.\d+)", (TOP / "pyproject.toml").read_text(encoding="utf-8"))
    assert JOBS["test"]["strategy"]["matrix"]["python"] == claimed


def test_only_the_job_that_publishes_may_say_who_it_is_and_it_keeps_no_token() -> None:
    assert [name for name, job in JOBS.items() if "permissions" in job] == ["publish"]
    assert JOBS["publish"]["permissions"] == {"id-token": "write"}
    assert "secrets" not in (TOP / ".github/workflows/release.yml").read_text(encoding="utf-8")


def test_what_is_published_is_built_by_a_few_tools_of_fixed_hashes() -> None:
    made = [step["run"] for step in JOBS["build"]["steps"] if "run" in step]
    assert made == ["make check-tag", "make dist PYTHON=python"]
    listed = (TOP / ".github/build-requirements.txt").read_text(encoding="utf-8")
    fixed = re.findall(r"^([a-z-]+)==\S+(?: ; .*)?((?: \\\n    --hash=sha256:[0-9a-f]{64})+)$", listed, re.MULTILINE)
    names = {name for name, _ in fixed}
    hook = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"]["custom"]
    needed = [*PROJECT["build-system"]["requires"], *hook["dependencies"], "build"]
    assert {re.split("[=>]", one)[0] for one in needed} <= names
    assert len(names) == len(re.findall("^[a-z].*==", listed, re.MULTILINE)) < 20
    assert all(one in listed for one in PROJECT["build-system"]["requires"])


def test_the_plugin_is_that_of_this_version_alone() -> None:
    """pytest imports it by itself, whoever published it."""
    assert f"pytest-paywright=={VERSION}" in PROJECT["project"]["optional-dependencies"]["testing"]


@pytest.mark.parametrize(
    ("tag", "changelog", "said"),
    [
        (f"v{VERSION}", f"## {VERSION}, 2026-11-26\n", ""),
        (f"v{VERSION}", f"## {VERSION}, not yet released\n", f"CHANGELOG.md has no date for {VERSION}."),
        ("v9.9.9", "## 9.9.9, 2026-11-26\n", "v9.9.9 is no tag of the version"),
        (f"v{VERSION}", f"## {VERSION}, 2026-11-26\n", "This commit is not on main."),
        *(
            (name, "", "TAG is no name such as v0.1.0.")
            for name in ("", "main", "v", *(f"v{VERSION}{end}" for end in HOSTILE))
        ),
    ],
)
def test_a_tag_has_its_version_and_date_on_main(tag: str, changelog: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "runtime/paywright_runtime").mkdir(parents=True)
    for name in ("Makefile", "runtime/paywright_runtime/version.py"):
        (tmp_path / name).write_bytes((TOP / name).read_bytes())
    (tmp_path / "CHANGELOG.md").write_text(changelog)
    who = ("-c", "user.name=A", "-c", "user.email=a@shop.example", "-c", "commit.gpgsign=false")
    for command in (
        ["init", "--quiet"],
        [*who, "commit", "--quiet", "--allow-empty", "-m", "on main"],
        ["update-ref", "refs/remotes/origin/main", "HEAD"],
        [*who, "commit", "--quiet", "--allow-empty", "-m", "not on main"] if "not on main" in said else ["status"],
    ):
        subprocess.run(["git", *command], cwd=tmp_path, check=True, capture_output=True)
    env = {**os.environ, "TAG": tag}
    done = subprocess.run(["make", "check-tag"], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=600)
    assert (done.returncode == 0) == (said == ""), done.stderr
    assert said in done.stderr
    assert not (tmp_path / "ran").exists()
