// Answers every write at once and keeps nothing, so that the client is measured and not a server. Prints its URL, and for
// each line on stdin the time of the first write since the previous line, in Unix milliseconds.
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'

const require = createRequire(import.meta.url)
const { createServer } = require('node:http')

let created = 0
let firstWriteMs
const server = createServer((request, response) => {
  if (request.method === 'GET') {
    answer(response, 200, '{"data":[],"next_cursor":null,"has_more":false}')
    return
  }
  firstWriteMs ??= Date.now()
  request.resume()
  request.on('end', () =>
    answer(response, 201, `{"id":"con_${(created++).toString(32).padStart(12, '0')}","version":1}`),
  )
})

function answer(response, status, text) {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': text.length })
  response.end(text)
}

server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
createInterface(process.stdin).on('line', () => {
  console.log(JSON.stringify({ created, firstWriteMs: firstWriteMs ?? null }))
  firstWriteMs = undefined
})
process.on('SIGTERM', () => process.exit(0))
