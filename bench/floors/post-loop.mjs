// The floor for deliveries: bodies from memory, signed and posted over 64 kept connections of node:http. No database, no
// order, no retries.

import { createHmac } from 'node:crypto'
import { createRequire } from 'node:module'

const http = createRequire(import.meta.url)('node:http')
const [url, count, secret, body] = process.argv.slice(2)
const agent = new http.Agent({ keepAlive: true, maxSockets: 64 })
const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')

let next = 0
function post() {
  if (next === Number(count)) return Promise.resolve()
  const id = `evt_${String(next++).padStart(11, '0')}`
  const timestamp = Math.floor(Date.now() / 1000)
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  }
  return new Promise((resolve, reject) => {
    const request = http.request(url, { method: 'POST', agent, headers }, (response) => {
      response.resume()
      response.on('end', () => resolve(post()))
    })
    request.on('error', reject)
    request.end(body)
  })
}

console.log(url)
await Promise.all(Array.from({ length: 64 }, post))
agent.destroy()
