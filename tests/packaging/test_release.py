"""The release workflow runs our own targets, on every Python that is claimed, and publishes without a token."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from paywright_runtime.version import VERSION

TOP = Path(__file__).resolve().parents[2]
JOBS: dict[str, Any] = yaml.safe_load((TOP / ".github/workflows/release.yml").read_text(encoding="utf-8"))["jobs"]
STEPS = [step for job in JOBS.values() for step in job["steps"]]
TARGETS = re.findall(r"^([a-z-]+):", (TOP / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)


def test_each_step_is_a_target_of_ours_or_an_action_at_a_fixed_commit() -> None:
    runs = [step["run"] for step in STEPS if "run" in step]
    assert {re.fullmatch(r"make ([a-z-]+)( [A-Z]+=\S+)*", run)[1] for run in runs} <= set(TARGETS)  # type: ignore[index]
    assert all(re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", step["uses"]) for step in STEPS if "run" not in step)


def test_what_is_checked_on_a_submission_is_checked_before_a_release() -> None:
    submitted = re.findall(r"^make [a-z-]+", (TOP / ".ci/run").read_text(encoding="utf-8"), re.MULTILINE)
    released = [" ".join(step.get("run", "").split()[:2]) for step in STEPS]
    assert set(submitted) <= set(released)
    assert JOBS["publish"]["needs"] == "build"
    assert JOBS["build"]["needs"] == ["test", "check"]


def test_every_python_of_the_classifiers_is_tried() -> None:
    claimed = re.findall(r"Python :: (3\.\d+)", (TOP / "pyproject.toml").read_text(encoding="utf-8"))
    assert JOBS["test"]["strategy"]["matrix"]["python"] == claimed


def test_only_the_job_that_publishes_may_say_who_it_is_and_it_keeps_no_token() -> None:
    assert [name for name, job in JOBS.items() if "permissions" in job] == ["publish"]
    assert JOBS["publish"]["permissions"] == {"id-token": "write"}
    assert "secrets" not in (TOP / ".github/workflows/release.yml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("tag", "changelog", "said"),
    [
        (f"v{VERSION}", f"## {VERSION}, 2026-11-26\n", ""),
        (f"v{VERSION}", f"## {VERSION}, not yet released\n", f"CHANGELOG.md has no date for {VERSION}."),
        ("v9.9.9", "## 9.9.9, 2026-11-26\n", "v9.9.9 is no tag of the version"),
        ("", "", " is no tag of the version"),
    ],
)
def test_a_tag_is_published_only_with_its_version_and_its_date(
    tag: str, changelog: str, said: str, tmp_path: Path
) -> None:
    (tmp_path / "runtime/paywright_runtime").mkdir(parents=True)
    for name in ("Makefile", "runtime/paywright_runtime/version.py"):
        (tmp_path / name).write_bytes((TOP / name).read_bytes())
    (tmp_path / "CHANGELOG.md").write_text(changelog)
    done = subprocess.run(
        ["make", "check-tag", f"TAG={tag}"], cwd=tmp_path, capture_output=True, text=True, timeout=600
    )
    assert (done.returncode == 0) == (said == "")
    assert said in done.stderr
