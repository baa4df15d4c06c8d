#!/usr/bin/env bash
# Schedule::Cron 1.05, Schedule::Cron::Events 1.96 and Set::Crontab 1.03 of Debian 12, seen on 2026-12-01.
# One would guess: modules that read lines of a crontab find the times at which cron runs them.
# What happens: a step counts from 0, though days and months begin with 1: in both `0 9 1 */3 *` is March, June, September and December,
# where cron runs in January, April, July and October; `*/10` is the 10th, 20th and 30th, not the 1st, 11th, 21st and 31st, and in the
# first, as February has no 30th, its 1st. With the range written out, as 1-12/3, they agree with cron. `29 2` is found once, in 2028.
# Why it matters: a settlement each quarter is looked for, or made, two months from when it is due.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q=2 libschedule-cron-perl=1.05-1 libtime-parsedate-perl=2015.103-4 2>/dev/null || exit 2
apt-get download -q=2 libschedule-cron-events-perl=1.96-2 libset-crontab-perl=1.03-1.1 2>/dev/null || exit 2
for package in *.deb; do
  dpkg --extract "$package" .
done
TZ=UTC perl -I usr/share/perl5 - <<'PL' | tee seen
use strict;
use warnings;
use POSIX 'strftime';
use Schedule::Cron;
use Schedule::Cron::Events;

my $cron = Schedule::Cron->new(sub { });
for my $line ('0 9 1 */3 *', '0 9 1 1-12/3 *', '0 9 */10 * *', '0 9 1-31/10 * *') {
    my ($time, @one, @other) = (strftime('%s', 0, 30, 10, 15, 0, 126));
    my $events = Schedule::Cron::Events->new($line, Date => [0, 30, 10, 15, 0, 126]);
    for (1 .. 4) {
        $time = $cron->get_next_execution_time($line, $time);
        push @one, strftime('%m-%d', localtime $time);
        push @other, strftime('%m-%d', $events->nextEvent);
    }
    print "$line: @one | @other\n";
}
my $leap = strftime('%s', 0, 0, 9, 29, 1, 128);
print eval { $cron->get_next_execution_time('0 9 29 2 *', $leap) } ? "found\n" : 'after 2028: ' . substr($@, 0, 32) . "\n";
PL
[ "$(cat seen)" = "0 9 1 */3 *: 03-01 06-01 09-01 12-01 | 03-01 06-01 09-01 12-01
0 9 1 1-12/3 *: 04-01 07-01 10-01 01-01 | 04-01 07-01 10-01 01-01
0 9 */10 * *: 01-20 01-30 02-01 02-10 | 01-20 01-30 02-10 02-20
0 9 1-31/10 * *: 01-21 01-31 02-01 02-11 | 01-21 01-31 02-01 02-11
after 2028: No suitable next execution time " ]
