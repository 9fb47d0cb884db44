// The floor for imports: undici's Pool.request with the given concurrency, a POST for each line of a simple CSV. No validation,
// plan, journal, retries or report; it only checks that each answer is a 201.

import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Pool } from 'undici'

const [baseUrl, key, file, concurrency] = process.argv.slice(2)
const [header, ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n')
const names = header.split(',')
const pool = new Pool(baseUrl, { connections: Number(concurrency), pipelining: 1 })
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }

let next = 0
async function work() {
  while (next < lines.length) {
    const cells = lines[next++].split(',')
    const body = JSON.stringify(Object.fromEntries(names.map((name, index) => [name, cells[index]])))
    const options = {
      method: 'POST',
      path: '/v1/contacts',
      headers: { ...headers, 'idempotency-key': randomUUID() },
      body,
    }
    const answer = await pool.request(options)
    if (answer.statusCode !== 201) throw new Error(`POST answered ${answer.statusCode}`)
    await answer.body.json()
  }
}

await Promise.all(Array.from({ length: Number(concurrency) }, work))
await pool.close()
