#!/usr/bin/env bash
# mysql_fdw 2.8.0 with PostgreSQL 15.20 and MariaDB 10.11.19 of Debian 12, seen on 2026-12-01.
# One would guess: a foreign table is part of the transaction, as with postgres_fdw, and a condition is PostgreSQL's: case counts.
# What happens: each row is committed in MariaDB at once: after ROLLBACK an INSERT, an UPDATE and a DELETE stay, and of what is refused
# the rows before the failure. number = 'ORD-A' is sent to MariaDB and finds ord-a: an UPDATE changes it, a DELETE takes it.
# Why it matters: a payment that was rolled back here is booked there, and is booked once more when the transaction is tried again.
# Known to: our ledgers write to one database.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q=2 postgresql-15=15.20-0+deb12u1 postgresql-client-15=15.20-0+deb12u1 libpq5=15.20-0+deb12u1 postgresql-15-mysql-fdw=2.8.0-4 \
  libmariadb3=1:10.11.19-0+deb12u1 mariadb-server-core=1:10.11.19-0+deb12u1 mariadb-client-core=1:10.11.19-0+deb12u1 liburing2=2.3-3 libaio1=0.3.113-4 \
  2>/dev/null || exit 2
for package in *.deb; do dpkg --extract "$package" .; done
LD_LIBRARY_PATH="$(find "$folder" -type d -name x86_64-linux-gnu | paste -sd :)"
export LD_LIBRARY_PATH
ln -s libmariadb.so.3 "$(dirname "$(find "$folder" -name libmariadb.so.3)")/libmysqlclient.so"
bin="$folder/usr/lib/postgresql/15/bin"
chmod 755 "$folder"
mkdir maria data
as=(env)
if [ "$(id -u)" = 0 ]; then
  chown nobody data
  as=(setpriv --reuid=nobody --regid=nogroup --clear-groups) # PostgreSQL refuses to run as root.
fi
port="$("${PYTHON:-python3}" -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])')"
usr/sbin/mariadbd --no-defaults --bind-address=127.0.0.1 --port="$port" --skip-grant-tables --skip-name-resolve --user=root \
  --datadir="$folder/maria" --socket="$folder/socket" --pid-file="$folder/pid" --lc-messages-dir="$folder/usr/share/mysql" \
  --innodb-buffer-pool-size=16M 2>log &
maria=$!
"${as[@]}" "$bin/initdb" --pgdata=data/main --username=shop --no-locale --encoding=UTF8 >>log 2>&1
"${as[@]}" "$bin/postgres" -D data/main -k "$folder/data" -c listen_addresses= 2>>log &
server=$!
trap 'kill -INT "$server"; kill -9 "$maria"; wait || true; rm -rf "$folder"' EXIT
psql() { "$bin/psql" -h "$folder/data" -U shop postgres -XAtq "$@" 2>>refused; }
until [ -S socket ] && psql -c 'SELECT 1' >/dev/null; do kill -0 "$server" "$maria"; sleep 0.2; done
there() { usr/bin/mariadb --no-defaults --socket="$folder/socket" -NBe "$1" | paste -sd ' '; }
there "CREATE DATABASE shop; CREATE TABLE shop.paid (number VARCHAR(20) PRIMARY KEY, amount DECIMAL(12,2)) ENGINE=InnoDB;
  INSERT INTO shop.paid VALUES ('ord-a', 1), ('ord-b', 2), ('ord-c', 3)" >/dev/null
psql -c 'CREATE EXTENSION mysql_fdw' -c "CREATE SERVER maria FOREIGN DATA WRAPPER mysql_fdw OPTIONS (host '127.0.0.1', port '$port')" \
  -c "CREATE USER MAPPING FOR shop SERVER maria OPTIONS (username 'root')" \
  -c "CREATE FOREIGN TABLE paid (number text, amount numeric(12,2)) SERVER maria OPTIONS (dbname 'shop', table_name 'paid')"
look="SELECT CONCAT(number, ' ', amount) FROM shop.paid ORDER BY number"
{
  psql -c "BEGIN; INSERT INTO paid VALUES ('new', 9); ROLLBACK; BEGIN; UPDATE paid SET amount = 0 WHERE number = 'ord-b'; ROLLBACK;
    BEGIN; DELETE FROM paid WHERE number = 'ord-c'; ROLLBACK"
  echo "rolled back: $(there "$look")"
  psql -c "INSERT INTO paid VALUES ('x-1', 5), ('x-2', 6), ('ord-a', 7)" || true
  echo "refused: $(there "$look")"
  echo "found: $(psql -c "SELECT number FROM paid WHERE number = 'ORD-A'")"
  psql -c "UPDATE paid SET amount = 8 WHERE number = 'ORD-A'" -c "DELETE FROM paid WHERE number IN ('NEW', 'X-1')"
  echo "changed: $(there "$look")"
} | tee seen
diff - seen <<'SEEN' || { echo "this has changed"; exit 1; }
rolled back: new 9.00 ord-a 1.00 ord-b 0.00
refused: new 9.00 ord-a 1.00 ord-b 0.00 x-1 5.00 x-2 6.00
found: ord-a
changed: ord-a 8.00 ord-b 0.00 x-2 6.00
SEEN
