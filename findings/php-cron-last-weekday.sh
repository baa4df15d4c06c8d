#!/usr/bin/env bash
# dragonmantank/cron-expression 3.3.1 with PHP 8.2 of Debian 12, seen on 2026-12-01.
# One would guess: `LW` is the last weekday of a month, as in Quartz, or is refused; `31W` is the weekday nearest to a 31st that there is.
# What happens: in 2027 `0 9 LW * *` is Sunday 31 January, Monday 1 February and 1 March, and Sunday 30 May. `0 9 31W * *` is 29 January,
# 3 February, which has no 31st, and after 31 March, 30 April and 31 May the 1st of June. `L` and `15W` are right.
# Why it matters: the payout of each last working day, by Laravel or Symfony, is made on a Sunday, or on the 1st, twice for one month.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q=2 php-dragonmantank-cron-expression=3.3.1-2 php-webmozart-assert=1.11.0-1 php8.2-cli=8.2.36-1~deb12u1 2>/dev/null || exit 2
for package in *.deb; do dpkg --extract "$package" .; done
cat >run.php <<'PHP'
<?php
foreach (['InvalidArgumentException', 'Mixin', 'Assert'] as $name) {
    require "usr/share/php/Webmozart/Assert/$name.php";
}
spl_autoload_register(fn ($class) => require 'usr/share/php/' . strtr($class, '\\', '/') . '.php');

foreach (['0 9 LW * *', '0 9 31W * *', '0 9 L * *', '0 9 15W * *'] as $line) {
    if (!Cron\CronExpression::isValidExpression($line)) {
        echo "$line is refused\n";
        continue;
    }
    $dates = (new Cron\CronExpression($line))->getMultipleRunDates(6, '2027-01-01 00:00', false, false, 'UTC');
    echo "$line: ", implode(', ', array_map(fn ($date) => $date->format('D d M'), $dates)), "\n";
}
PHP
usr/bin/php8.2 -n -d error_reporting=24575 run.php | tee seen
diff - seen <<'SEEN' || { echo "this has changed"; exit 1; }
0 9 LW * *: Sun 31 Jan, Mon 01 Feb, Mon 01 Mar, Sun 30 May, Fri 30 Jul, Mon 02 Aug
0 9 31W * *: Fri 29 Jan, Wed 03 Feb, Wed 31 Mar, Fri 30 Apr, Mon 31 May, Tue 01 Jun
0 9 L * *: Sun 31 Jan, Sun 28 Feb, Wed 31 Mar, Fri 30 Apr, Mon 31 May, Wed 30 Jun
0 9 15W * *: Fri 15 Jan, Mon 15 Feb, Mon 15 Mar, Thu 15 Apr, Fri 14 May, Tue 15 Jun
SEEN
