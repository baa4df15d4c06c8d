#!/usr/bin/env bash
# pg-mem 3.0.14 of npm, beside PostgreSQL (pglite 0.5.14), seen on 2026-11-30.
# One would guess: what stands for PostgreSQL in tests says by `RETURNING` whether a row was put in, and undoes what is rolled back.
# What happens: `INSERT ... ON CONFLICT DO NOTHING RETURNING` returns the row that was there, as if it had been put in; so does an update whose
# WHERE is false. After BEGIN, DELETE and ROLLBACK the rows are gone. NUMERIC(10, 2) keeps 10.505 and takes 123456789.99, and 19.99 * 100 is
# 1998.9999999999998.
# Why it matters: the usual guard against a second webhook or order is this statement. In the tests each delivery is the first, and a handler
# that fails leaves half of its work.
# Known to: our ledgers' tests start the servers themselves.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save pg-mem@3.0.14 @electric-sql/pglite@0.5.14 || exit 2
cat >run.mjs <<'JS'
import assert from 'assert'
import { PGlite } from '@electric-sql/pglite'
import pgMem from 'pg-mem'

const { Client } = pgMem.newDb().adapters.createPg()
const client = new Client()
await client.connect()
const databases = { 'pg-mem': client, PostgreSQL: await PGlite.create() }
const statements = [
  "INSERT INTO orders VALUES ('ORD_1', 10.505) RETURNING amount",
  "INSERT INTO orders VALUES ('ORD_1', 1) ON CONFLICT (number) DO NOTHING RETURNING number",
  "INSERT INTO orders VALUES ('ORD_1', 1) ON CONFLICT (number) DO UPDATE SET amount = 1 WHERE false RETURNING number",
  "INSERT INTO orders VALUES ('ORD_2', 123456789.99) RETURNING number",
  'SELECT 19.99::numeric * 100 AS cents',
]
const seen = {}
for (const [name, database] of Object.entries(databases)) {
  const shown = (answer) => answer.rows.map((row) => String(Object.values(row)[0])).join()
  const said = (statement) => database.query(statement).then(shown, () => 'refused')
  await said('CREATE TABLE orders (number TEXT PRIMARY KEY, amount NUMERIC(10, 2))')
  seen[name] = []
  for (const statement of statements) seen[name].push(await said(statement))
  await said('BEGIN')
  await said('DELETE FROM orders')
  await said('ROLLBACK')
  seen[name].push(await said('SELECT COUNT(*) FROM orders'))
}
console.log(seen)
assert.deepStrictEqual(seen, {
  'pg-mem': ['10.505', 'ORD_1', 'ORD_1', 'ORD_2', '1998.9999999999998', '0'],
  PostgreSQL: ['10.51', '', '', 'refused', '1999.00', '1'],
}, 'this has changed')
process.exit()
JS
node run.mjs
