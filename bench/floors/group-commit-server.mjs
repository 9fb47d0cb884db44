// The floor for creates and lists: node:http and node:sqlite with nothing in between. A create parses its JSON, is
// made a record of the same shape, inserted in a transaction shared by one turn of the event loop (WAL, FULL) and is answered after the commit; a page of
// 100 is joined from stored text. The row of an idempotency key with the answer is written too. No API keys, no validation, no history, no events.
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const { createServer } = require('node:http')
const { DatabaseSync } = require('node:sqlite')

const db = new DatabaseSync(process.argv[2])
db.exec(
  `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE IF NOT EXISTS rows (id INTEGER PRIMARY KEY, text TEXT);
  CREATE TABLE IF NOT EXISTS answers (number INTEGER PRIMARY KEY, key TEXT UNIQUE, body TEXT)`,
)
const insert = db.prepare('INSERT INTO rows (text) VALUES (?)')
const keep = db.prepare('INSERT INTO answers (key, body) VALUES (?, ?)')
const page = db.prepare('SELECT text FROM rows ORDER BY id DESC LIMIT 100')
page.setReturnArrays(true)

let created = 0
let waiting = []
function flush() {
  const batch = waiting
  waiting = []
  db.exec('BEGIN IMMEDIATE')
  for (const { key, text } of batch) {
    insert.run(text)
    if (key !== undefined) keep.run(key, text)
  }
  db.exec('COMMIT')
  for (const { response, text } of batch) answer(response, 201, text)
}

function answer(response, status, text) {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
  response.end(text)
}

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    answer(
      response,
      200,
      `{"data":[${page
        .all()
        .map(([text]) => text)
        .join(',')}]}`,
    )
    return
  }
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const time = new Date().toISOString()
    const record = JSON.parse(Buffer.concat(chunks).toString())
    const text = JSON.stringify({ id: `con_${++created}`, ...record, created_at: time, updated_at: time, version: 1 })
    waiting.push({ response, text, key: request.headers['idempotency-key'] })
    if (waiting.length === 1) setImmediate(flush)
  })
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
process.on('SIGTERM', () => process.exit(0))
