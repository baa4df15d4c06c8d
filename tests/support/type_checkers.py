"""mypy and pyright on a folder of programs, with the checkout's own packages in front."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

__all__ = ["checked", "configure"]

TOP: Final = Path(__file__).resolve().parents[2]
PACKAGES: Final = [
    str(TOP / name) for name in ("audit", "cli", "codegen", "generated", "receiver", "runtime", "sandbox")
]


def configure(folder: Path, *generated: str) -> None:
    """Make both checkers strict there. pyright reads `generated` packages, and reports nothing in them, as in ours."""
    (folder / "mypy.ini").write_text(
        "[mypy]\nstrict = true\npython_version = 3.11\n"
        "[mypy-django.*,celery.*,huey.*]\nignore_missing_imports = true\n"
        "[mypy-follow,tasks,tasks_celery,tasks_huey]\ndisallow_subclassing_any = false\ndisallow_untyped_decorators = false\n"
    )
    settings = {"typeCheckingMode": "strict", "pythonVersion": "3.11", "extraPaths": PACKAGES, "exclude": generated}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))


def checked(folder: Path, *command: str) -> str:
    """Return what a checker complains of, with the checkout's own packages and Python in front."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    env = {**os.environ, "PATH": path, "MYPYPATH": os.pathsep.join(PACKAGES)}
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=folder, env=env, capture_output=True, text=True, timeout=600
    )
    return "" if done.returncode == 0 else done.stdout + done.stderr
