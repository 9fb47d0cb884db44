// The floor for a receiver of webhooks: node:http that reads each body and answers 200. It checks no signature, and neither
// parses, stores nor prints.
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const { createServer } = require('node:http')

const server = createServer((request, response) => {
  request.on('data', () => {})
  request.on('end', () => response.writeHead(200, { 'content-length': 0 }).end())
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/`))
process.on('SIGTERM', () => process.exit(0))
