// The floor for creates on PostgreSQL: node:http and pg with nothing in between. All creates that wait share a transaction, which
// locks the row of the sequence, looks up the idempotency keys, inserts by one statement, and commits; then they are answered.
// No API keys, no validation, no kept answers, no events.
import pg from 'pg'

const { createServer } = process.getBuiltinModule('node:http')

const client = new pg.Client({ connectionString: process.env.CRM_DATABASE_URL })
await client.connect()
await client.query(`CREATE TABLE floor_sequence (last bigint NOT NULL) WITH (fillfactor = 10);
  INSERT INTO floor_sequence VALUES (0);
  CREATE TABLE floor_rows (id bigint PRIMARY KEY, key text COLLATE "C" UNIQUE, text text NOT NULL)`)

const INSERT = `INSERT INTO floor_rows (id, key, text)
  SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[])`

let waiting = []
let isWorking = false

async function work() {
  isWorking = true
  while (waiting.length > 0) {
    const batch = waiting
    waiting = []
    await commit(batch)
  }
  isWorking = false
}

async function commit(batch) {
  const [, locked] = await client.query('BEGIN; SELECT last FROM floor_sequence FOR UPDATE')
  let last = Number(locked.rows[0].last)
  const keys = batch.map(({ key }) => key)
  const find = { name: 'find', text: 'SELECT key, text FROM floor_rows WHERE key = ANY($1::text[])', values: [keys] }
  const known = new Map((await client.query(find)).rows.map(({ key, text }) => [key, text]))
  const fresh = batch.filter(({ key }) => !known.has(key))
  const ids = fresh.map(() => ++last)
  const texts = fresh.map(({ record, time }, place) =>
    JSON.stringify({ id: `con_${ids[place]}`, ...record, created_at: time, updated_at: time, version: 1 }),
  )
  await client.query({ name: 'insert', text: INSERT, values: [ids, fresh.map(({ key }) => key), texts] })
  await client.query(`UPDATE floor_sequence SET last = ${last}; COMMIT`)
  for (const [place, { key }] of fresh.entries()) known.set(key, texts[place])
  for (const { key, response } of batch) answer(response, known.get(key))
}

function answer(response, text) {
  response.writeHead(201, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
  response.end(text)
}

const server = createServer((request, response) => {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const record = JSON.parse(Buffer.concat(chunks).toString())
    waiting.push({ key: request.headers['idempotency-key'], record, time: new Date().toISOString(), response })
    if (!isWorking) setImmediate(() => isWorking || work())
  })
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
process.on('SIGTERM', () => process.exit(0))
