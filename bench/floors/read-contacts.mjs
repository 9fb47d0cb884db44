import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'

/** Reads every contact of a database in the order of their ids, and does nothing with them; prints the time. */
const [address = ''] = process.argv.slice(2)
const startMs = performance.now()
const count = address.startsWith('postgres') ? await readPostgres() : readFile()
console.log(JSON.stringify({ count, tookMs: performance.now() - startMs }))

function readFile() {
  const statement = new DatabaseSync(address, { readOnly: true }).prepare('SELECT * FROM contacts ORDER BY id')
  statement.setReturnArrays(true)
  let count = 0
  for (const _ of statement.iterate()) count++
  return count
}

async function readPostgres() {
  const client = new pg.Client(address)
  await client.connect()
  const text = 'SELECT * FROM contacts WHERE id > $1 ORDER BY id LIMIT 1000'
  let count = 0
  for (let after = 0; ; ) {
    const { rows } = await client.query({ name: 'page', text, values: [after], rowMode: 'array' })
    if (rows.length === 0) break
    count += rows.length
    after = rows.at(-1)[0]
  }
  await client.end()
  return count
}
