#!/usr/bin/env bash
# cel-js 0.8.2 and @bufbuild/cel 0.6.1 of npm, and cel-python 0.5.0 of PyPI, seen on 2026-11-30.
# One would guess: a rule in CEL means the same in each, as its specification has tests: 7 / 2 is 3, whole numbers have 64 bits, and a whole
# number with a double is an error, not a guess.
# What happens: in cel-js each number is a double: 7 / 2 is 3.5, two ids of sixteen digits are equal, and 1 + 2.5 is 3.5. cel-python refuses
# 1 + 2.5, but 1000 / 2.9 is 344: the quotient is cut to a whole number. @bufbuild/cel does as specified.
# Why it matters: limits, fees and routes of payments are such rules, tried in one language and run in another; half of 7 cents is a whole
# number in one, and a converted amount has no cents in another.
# Known to: the SDK computes with Decimal.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet cel-python==0.5.0 || exit 2
npm install --silent --no-fund --no-audit --no-save cel-js@0.8.2 @bufbuild/cel@0.6.1 || exit 2
cat >rules <<'TEXT'
7 / 2
9007199254740993 == 9007199254740992
1 + 2.5
1000 / 2.9
TEXT
cat >run.mjs <<'JS'
import { readFileSync } from 'fs'
import { evaluate } from 'cel-js'
import { run } from '@bufbuild/cel'

const said = (judge, rule) => {
  try {
    const value = judge(rule)
    return typeof value === 'object' ? 'refused' : value
  } catch { return 'refused' }
}
for (const rule of readFileSync('rules', 'utf8').trim().split('\n')) {
  console.log(`cel-js: ${rule} is ${said(evaluate, rule)}`)
  console.log(`@bufbuild/cel: ${rule} is ${said(run, rule)}`)
}
JS
cat >run.py <<'PY'
import celpy

environment = celpy.Environment()
for rule in open("rules").read().splitlines():
    try:
        said = environment.program(environment.compile(rule)).evaluate({})
    except celpy.CELEvalError:
        said = "refused"
    print(f"cel-python: {rule} is {said}")
PY
{
  node run.mjs
  venv/bin/python run.py
} | tee seen
diff - seen <<'SEEN' || { echo "this has changed"; exit 1; }
cel-js: 7 / 2 is 3.5
@bufbuild/cel: 7 / 2 is 3
cel-js: 9007199254740993 == 9007199254740992 is true
@bufbuild/cel: 9007199254740993 == 9007199254740992 is false
cel-js: 1 + 2.5 is 3.5
@bufbuild/cel: 1 + 2.5 is refused
cel-js: 1000 / 2.9 is refused
@bufbuild/cel: 1000 / 2.9 is refused
cel-python: 7 / 2 is 3
cel-python: 9007199254740993 == 9007199254740992 is False
cel-python: 1 + 2.5 is refused
cel-python: 1000 / 2.9 is 344
SEEN
