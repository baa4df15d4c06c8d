"""Where programs that tests start find the packages of the checkout, installed or not."""

from __future__ import annotations

import os
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
FOLDERS = tuple(str(TOP / name) for name in ("audit", "cli", "codegen", "generated", "receiver", "runtime", "sandbox"))
PACKAGES = os.pathsep.join(FOLDERS)
