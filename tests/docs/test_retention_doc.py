"""docs/retention.md: its defaults are the product's, and what it calls free of persons has no member that names one."""

from __future__ import annotations

import inspect
from datetime import timedelta

import pytest

from paywright.contract import CONTRACT
from paywright_audit import Recorder
from paywright_sandbox.engine.settings import SandboxSettings
from tests.docs.pages import Page

PAGE = Page("retention").text


def test_its_defaults_are_those_of_the_product() -> None:
    recorder = inspect.signature(Recorder).parameters
    assert recorder["max_age"].default == timedelta(days=30)
    assert "30 days (`max_age`)" in PAGE
    assert recorder["total_bytes"].default == 1 << 30
    assert "1 GB (`total_bytes`)" in PAGE
    assert inspect.signature(SandboxSettings).parameters["log_keeps"].default == 10_000
    assert "10,000 exchanges" in PAGE


@pytest.mark.parametrize("name", CONTRACT.operations())
def test_what_an_item_or_a_resolver_keeps_of_a_request_names_no_person(name: str) -> None:
    operation = CONTRACT.operation(name)
    struct = CONTRACT.struct(operation.data or operation.request)
    for shown in operation.shows:
        member = struct.by_wire[shown.asked_path[0]]
        for step in shown.asked_path[1:]:
            member = CONTRACT.struct(str(member.of)).by_wire[step]
        assert member.redaction is None, shown.asked
