// The floor for a receiver that stores events: node:http that appends each body to a file, syncs all bodies received meanwhile
// together, and answers 204. It checks no signature, and neither parses nor prints.
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const { createServer } = require('node:http')
const { fdatasync, openSync, writeSync } = require('node:fs')

const file = openSync(process.argv[2], 'a')
let waiting = []
let isWriting = false
function flush() {
  if (isWriting || waiting.length === 0) return
  isWriting = true
  const batch = waiting
  waiting = []
  writeSync(file, Buffer.concat(batch.flatMap(({ chunks }) => chunks)))
  fdatasync(file, (error) => {
    if (error) throw error
    for (const { response } of batch) response.writeHead(204).end()
    isWriting = false
    flush()
  })
}

const server = createServer((request, response) => {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    waiting.push({ chunks, response })
    flush()
  })
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/`))
process.on('SIGTERM', () => process.exit(0))
