#!/usr/bin/env bash
# PyYAML 6.0.4, ruamel.yaml 0.19.1, js-yaml 5.5.0 and yaml 2.9.1, seen on 2026-11-30.
# One would guess: a text that one library writes another reads as text, those of one language at least; ids of hexadecimal digits are text.
# What happens: PyYAML writes 123e4567 and 055455e8 without quotes, as they are no numbers to it: of 20,000 ids of eight hexadecimal digits
# ruamel.yaml reads 344 as other things, infinity among them, js-yaml 152 and yaml 344. js-yaml knows 055455e8 as a number and puts it in
# quotes, but not what is too large for a double: of the same ids yaml reads 192 as Infinity.
# Why it matters: two ids of a hundred in a file of settings, or of recorded traffic, are numbers, and all infinite ones are one.
# Known to: the SDK's ids are texts.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet pyyaml==6.0.4 ruamel-yaml==0.19.1 || exit 2
npm install --silent --no-fund --no-audit --no-save js-yaml@5.5.0 yaml@2.9.1 || exit 2
cat >write.py <<'PY'
import json
import random
from pathlib import Path

import ruamel.yaml
import yaml

draw = random.Random(1)
ids = [f"{draw.getrandbits(32):08x}" for _ in range(20000)] + ["123e4567"]
Path("ids.json").write_text(json.dumps(ids))
Path("pyyaml.yaml").write_text(yaml.safe_dump(ids))
read = ruamel.yaml.YAML(typ="safe").load(Path("pyyaml.yaml"))
print("PyYAML, ruamel.yaml:", sum(one != other for one, other in zip(ids[:-1], read)), read[-1])
PY
cat >read.cjs <<'JS'
const { readFileSync, writeFileSync } = require('fs')
const jsYaml = require('js-yaml')
const yaml = require('yaml')

const ids = JSON.parse(readFileSync('ids.json', 'utf8'))
writeFileSync('js-yaml.yaml', jsYaml.dump(ids))
for (const writer of ['pyyaml', 'js-yaml']) {
  for (const [name, read] of [['js-yaml', jsYaml.load], ['yaml', yaml.parse]]) {
    const seen = read(readFileSync(writer + '.yaml', 'utf8'))
    console.log(`${writer}, ${name}:`, ids.slice(0, -1).filter((id, at) => seen[at] !== id).length, seen.at(-1))
  }
}
JS
{ venv/bin/python write.py; node read.cjs; } | tee seen
diff - seen <<'SEEN' || { echo "this has changed"; exit 1; }
PyYAML, ruamel.yaml: 344 inf
pyyaml, js-yaml: 152 123e4567
pyyaml, yaml: 344 Infinity
js-yaml, js-yaml: 0 123e4567
js-yaml, yaml: 192 Infinity
SEEN
