#!/usr/bin/env bash
# outlines-core 0.2.14, lm-format-enforcer 0.11.3 and llguidance 1.9.1, seen on 2026-12-01.
# One would guess: what makes a language model keep to a JSON Schema keeps its limits, or refuses a schema that it does not understand.
# What happens: outlines-core lets -5 pass for a minimum of 0.01 and 10.505 for a multiple of 0.01, and a string with a `maxLength` forgets its
# `pattern`: "!$?" is a currency. lm-format-enforcer forgets the same numbers, and refuses the string. llguidance keeps all of them.
# Why it matters: an amount or a currency that "cannot" break the schema is taken unchecked from a model into a payment.
# Known to: the SDK checks every request before it is sent.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet outlines-core==0.2.14 lm-format-enforcer==0.11.3 llguidance==1.9.1 numpy==2.4.2 || exit 2
venv/bin/python - <<'PY'
import json
import re

from llguidance import LLMatcher, LLTokenizer
from lmformatenforcer import JsonSchemaParser
from lmformatenforcer.exceptions import LMFormatEnforcerException
from outlines_core.json_schema import build_regex_from_schema

BYTES = LLTokenizer("byte")


def outlines(schema, text):
    return bool(re.fullmatch(build_regex_from_schema(json.dumps(schema)), text))


def enforcer(schema, text):
    try:
        state = JsonSchemaParser(schema)
        for character in text:
            if character not in state.get_allowed_characters():
                return False
            state = state.add_character(character)
        return state.can_end()
    except LMFormatEnforcerException:
        return "refuses the schema"


def guidance(schema, text):
    matcher = LLMatcher(BYTES, LLMatcher.grammar_from_json_schema(json.dumps(schema)))
    tokens = BYTES.tokenize_str(text)
    return matcher.try_consume_tokens(tokens) == len(tokens) and matcher.is_accepting()


asked = [
    ({"type": "number", "minimum": 0.01}, "10.5"),
    ({"type": "number", "minimum": 0.01}, "-5"),
    ({"type": "number", "multipleOf": 0.01}, "10.505"),
    ({"type": "integer", "maximum": 5}, "9"),
    ({"type": "string", "pattern": "^[A-Z]{3}$"}, '"!$?"'),
    ({"type": "string", "pattern": "^[A-Z]{3}$", "maxLength": 3}, '"!$?"'),
]
seen = {check.__name__: [check(schema, text) for schema, text in asked] for check in (outlines, enforcer, guidance)}
print(seen)
assert seen == {
    "outlines": [True, True, True, True, False, True],
    "enforcer": [True, True, True, True, False, "refuses the schema"],
    "guidance": [True, False, False, False, False, False],
}, "this has changed"
PY
