#!/usr/bin/env bash
# bash 5.2.15, dash 0.5.12, mawk 1.3.4 and GNU coreutils 9.1 of Debian 12, seen on 2026-12-01.
# One would guess: `printf %.2f` gives the same cents in each shell, and numfmt rounds to the nearest one.
# What happens: bash and coreutils compute with long doubles, dash and mawk with doubles: of the ten thousand amounts from 0.005 to 99.995,
# 4,800 have other cents; 1.065 is 1.07 or 1.06. numfmt rounds away from zero: 10.501 is 10.51, and 1901 with `--to-unit=100` is 20.
# Why it matters: a script that adds fees gives other cents when `#!/bin/sh` stands above it, and one that only shows an amount raises it.
# Known to: [Amounts](../docs/amounts.md): round before the call.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q=2 bash=5.2.15-2+b13 dash=0.5.12-2 mawk=1.3.4.20200120-3.1 coreutils=9.1-1 2>/dev/null || exit 2
for package in *.deb; do dpkg --extract "$package" .; done
cat >print.sh <<'SH'
while read -r amount; do printf '%.2f\n' "$amount"; done
SH
python3 -c 'for cents in range(10000): print(f"{cents / 100:.2f}5")' >amounts
"$folder/bin/bash" print.sh <amounts >of-bash
"$folder/bin/dash" print.sh <amounts >of-dash
xargs usr/bin/printf '%.2f\n' <amounts >of-coreutils
usr/bin/mawk '{ printf "%.2f\n", $1 }' amounts >of-mawk
others() { paste -d' ' "$1" "$2" | usr/bin/mawk '$1 != $2' | wc -l; }
{
  echo "1.065: $(sed -n 107p of-bash) in bash, $(sed -n 107p of-dash) in dash"
  echo "dash: $(others of-bash of-dash), mawk: $(others of-bash of-mawk), coreutils: $(others of-bash of-coreutils)"
  echo "numfmt:" $(usr/bin/numfmt --format=%.2f 10.501 0.001) $(usr/bin/numfmt --to-unit=100 1901) $(usr/bin/numfmt --to-unit=100 --round=nearest 1901)
} | tee seen
diff - seen <<'SEEN' || { echo "this has changed"; exit 1; }
1.065: 1.07 in bash, 1.06 in dash
dash: 4800, mawk: 4800, coreutils: 0
numfmt: 10.51 0.01 20 19
SEEN
