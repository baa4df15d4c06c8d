"""Render the pages of the reference from their templates."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from jinja2 import Environment, PackageLoader, StrictUndefined

from paywright_codegen.model.contract import Contract
from paywright_codegen.reference.homes import Homes
from paywright_codegen.reference.names_page import IndexPage, NamesPage, QuestionsPage
from paywright_codegen.reference.operation_page import OperationPage, RunExample
from paywright_codegen.reference.shared_pages import CodesPage, LimitsPage, ObjectsPage, SeenPage, StatesPage

_BLANK_LINES = re.compile(r"\n{3,}")


def reference_pages(contract: Contract, runs: Mapping[str, RunExample] | None = None) -> dict[str, str]:
    """Return the reference of a contract, Markdown by the path of the page.

    `runs` are examples that were run, by operation or kind; the other operations show messages made from the contract.
    """
    env = Environment(
        loader=PackageLoader("paywright_codegen.reference"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # the output is Markdown
    )
    return {
        page: _BLANK_LINES.sub("\n\n", env.get_template(f"{template}.jinja").render(one=view)).strip() + "\n"
        for page, template, view in _views(contract, runs or {})
    }


def _views(contract: Contract, runs: Mapping[str, RunExample]) -> Iterator[tuple[str, str, object]]:
    homes = Homes(contract)
    for operation in contract.operations.values():
        page = OperationPage(contract, homes, operation, runs)
        yield page.page, "operation.md", page
    for seen in contract.seen.values():
        shown = SeenPage(contract, homes, seen, runs)
        yield shown.page, "seen.md", shown
    shared = {
        "states.md": StatesPage,
        "codes.md": CodesPage,
        "limits.md": LimitsPage,
        "objects.md": ObjectsPage,
        "questions.md": QuestionsPage,
        "names.md": NamesPage,
        "README.md": IndexPage,
    }
    for name, kind in shared.items():
        yield name, name, kind(contract, homes, name)
