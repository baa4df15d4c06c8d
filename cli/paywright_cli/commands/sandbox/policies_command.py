"""`paywright sandbox policies`: every named policy, its default, the value in force and its question, without a server."""

from __future__ import annotations

import argparse
import json

__all__ = ["list_policies"]


def list_policies(args: argparse.Namespace) -> None:
    """Prints them all. Raises `ConfigurationError` where sandbox.toml is not right."""
    from paywright_tools.sandbox.policies import POLICIES, Policies
    from paywright_tools.sandbox.settings import SETTINGS_FILE, read_settings

    # Without a folder the defaults are what there is.
    here = (args.dir / SETTINGS_FILE).exists()
    values = read_settings(args.dir).policies if here else Policies()
    if args.json:
        rows = [
            {
                "name": name,
                "default": policy.default,
                "value": values.value(name),
                "question": policy.question,
                "decides": policy.summary,
            }
            for name, policy in POLICIES.items()
        ]
        print(json.dumps(rows, indent=1))
        return
    print(
        f"The policies of {args.dir / SETTINGS_FILE}:\n"
        if here
        else f"The defaults; there is no {args.dir / SETTINGS_FILE}:\n"
    )
    for name, policy in POLICIES.items():
        value = values.value(name)
        changed = "" if value == policy.default else f"   (default {_plain(policy.default)})"
        print(f"{name} = {_plain(value)}{changed}\n    {policy.summary} [{policy.question}]")


def _plain(value: object) -> str:
    return json.dumps(list(value) if isinstance(value, tuple) else value)
