import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { emptyHome } from '../harness/home.ts'
import { crm } from './crm.ts'
import { HAS_TMUX, openTerminal } from './terminal.ts'

const COUNT = 120

describe.skipIf(!HAS_TMUX)('on a terminal (skipped where tmux is not installed)', () => {
  test('a send has a bar; X stops it, and the command that the screen names sends the rest', async () => {
    const server = await holdingServer()
    const env = emptyHome({ CRM_BASE_URL: server.url, CRM_API_KEY: 'k' })
    const terminal = openTerminal(['browse', 'contacts'], env, { columns: 120, rows: 30 })
    await terminal.sees('1-25 of 120')
    terminal.type('Ab')
    await terminal.sees('Change in 120 rows')
    terminal.type('company=Acme')
    terminal.press('Enter')
    await terminal.sees('Type 120 and Enter')
    terminal.type('120')
    terminal.press('Enter')
    const screen = await terminal.sees(/\d+ % · \d+ of 120 · 0 failed · [\d.]+\/s/)
    expect(screen).toMatch(/X stops; crm jobs resume job_\w+ goes on/)
    terminal.press('M-5')
    await terminal.sees(/❯ {2}job_\w+ +running \d+ %/)
    terminal.press('M-1')
    terminal.type('X')
    await terminal.sees('Stopping after the requests that were sent')
    server.letGo()
    const [, done, left, job = ''] =
      /(\d+) saved, (\d+) left to (job_\w+); crm jobs resume \3 goes on/.exec(
        (await terminal.sees(/saved, \d+ left to job_\w+; crm jobs resume/)).replaceAll(/\s+/g, ' '),
      ) ?? []
    expect(Number(done) + Number(left)).toBe(COUNT)
    expect(Number(left)).toBeGreaterThan(0)
    terminal.type('q')
    await terminal.sees('exit=0')
    expect(server.patched().size).toBe(Number(done))
    expect((await crm(['jobs', 'resume', job], env)).exit).toBe(0)
    expect(server.patched().size).toBe(COUNT)
  })
})

/** Answers the first few updates, and holds the others until `letGo`. */
async function holdingServer() {
  const { promise: isLetGo, resolve: letGo } = Promise.withResolvers<void>()
  const patched = new Set<string>()
  const rows = Array.from({ length: COUNT }, (_, at) => ({ id: `con_${at}`, name: `Name ${at}` }))
  const server = createServer(async (request, response) => {
    request.resume()
    const isUpdate = request.method === 'PATCH'
    const id = request.url?.split('/').at(-1) ?? ''
    if (isUpdate && patched.size >= 5) await isLetGo
    if (isUpdate) patched.add(id)
    response.writeHead(200, { 'content-type': 'application/json' })
    const row = rows.find((each) => each.id === id)
    const changed = patched.has(id) ? { company: 'Acme' } : {}
    response.end(JSON.stringify(row ? { ...row, ...changed } : { data: rows, next_cursor: null }))
  })
  onTestFinished(() => {
    letGo()
    server.closeAllConnections()
    server.close()
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, patched: () => patched, letGo }
}
