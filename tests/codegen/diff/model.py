"""The classes of the model whose fields are compared."""

from __future__ import annotations

import inspect
from dataclasses import is_dataclass
from types import ModuleType
from typing import Any, get_args

from paywright_codegen.model import cited, contract, operations, rules, types

MODULES: tuple[ModuleType, ...] = (cited, contract, operations, rules, types)
BY_DOCUMENTS = {*get_args(rules.Condition), *get_args(rules.Demand)}
"""Conditions and demands: a rule is compared as a whole."""
BASES = {cited.Cited, cited.Prose, cited.SourceLine, cited.SourcePlace}


def model_classes() -> set[Any]:
    """The dataclasses of the model."""
    found = {one for module in MODULES for _, one in inspect.getmembers(module, is_dataclass)}
    return found - BASES - BY_DOCUMENTS
