// The floor for exports: a loop that follows cursors over one keep-alive connection, parses each page and writes a line a
// record. No retries, no settings, no table.

import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { createRequire } from 'node:module'

const http = createRequire(import.meta.url)('node:http')
const [baseUrl, key, file, pageSize] = process.argv.slice(2)
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
const out = createWriteStream(file)

function getPage(cursor) {
  const url = `${baseUrl}/v1/contacts?limit=${pageSize}${cursor ? `&cursor=${cursor}` : ''}`
  return new Promise((resolve, reject) => {
    http
      .get(url, { agent, headers: { authorization: `Bearer ${key}` } }, (response) => {
        const chunks = []
        response.on('data', (chunk) => chunks.push(chunk))
        response.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString())))
      })
      .on('error', reject)
  })
}

for (let cursor = ''; cursor !== null; ) {
  const page = await getPage(cursor)
  let text = ''
  for (const record of page.data) text += `${JSON.stringify(record)}\n`
  if (!out.write(text)) await once(out, 'drain')
  cursor = page.next_cursor
}
out.end()
agent.destroy()
