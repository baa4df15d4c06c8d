#!/usr/bin/env bash
# memoise 2.0.1 and cachem 1.0.7 with R 4.2.2 of Debian 12, seen on 2026-12-01.
# One would guess: two memoised functions have their own answers, also if they share a cache or its directory: each is another function.
# What happens: the key is of the arguments and of the text of the function's body, with fifteen digits of its numbers; what it is closed
# over is left out. Of two shops made by one factory the second gets the first one's answers; of rates that differ in the 17th digit too.
# Why it matters: a fee, a status or a settlement of another shop is given, from a file that outlives the program, and no call is made.
# Known to: docs/outcomes.md: the key is the caller's.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q=2 r-base-core=4.2.2.20221110-2 r-cran-memoise=2.0.1-1 r-cran-cachem=1.0.7-1 r-cran-digest=0.6.31-1 r-cran-fastmap=1.1.1-1 \
  r-cran-rlang=1.0.6-1 2>/dev/null || exit 2
for package in *.deb; do dpkg --extract "$package" .; done
cat >run.R <<'R'
.libPaths(file.path(getwd(), "usr/lib/R/site-library"))
fees <- function(shop, rate, cache) memoise::memoise(function(amount) paste(shop, amount * rate), cache = cache)
memory <- cachem::cache_mem()
a <- fees("A", 0.01, memory)
b <- fees("B", 0.03, memory)
cat("in memory:", a(100), b(100), "\n")
a <- fees("A", 0.01, cachem::cache_disk("answers"))
invisible(a(100))
b <- fees("B", 0.03, cachem::cache_disk("answers"))
cat("in files:", b(100), "\n")
a <- fees("A", 0.01, cachem::cache_mem())
b <- fees("B", 0.03, cachem::cache_mem())
cat("alone:", a(100), b(100), "\n")
first <- memoise::memoise(function(units) units * 0.12345678901234567, cache = memory)
second <- memoise::memoise(function(units) units * 0.12345678901234599, cache = memory)
cat("digits:", first(1e17) == second(1e17), 1e17 * 0.12345678901234567 == 1e17 * 0.12345678901234599, "\n")
R
sed -e "s#/usr/lib/R#$folder/usr/lib/R#g; s#/usr/share/R#$folder/usr/share/R#g" usr/lib/R/bin/R >usr/lib/R/bin/R.here
LD_LIBRARY_PATH="$folder/usr/lib/R/lib" bash usr/lib/R/bin/R.here --vanilla --no-echo --file=run.R | tee seen
diff - <(sed 's/ *$//' seen) <<'SEEN' || { echo "this has changed"; exit 1; }
in memory: A 1 A 1
in files: A 1
alone: A 1 B 3
digits: TRUE FALSE
SEEN
