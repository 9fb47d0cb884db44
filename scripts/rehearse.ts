import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compiledFolder } from '../src/loader/bundle.ts'

/** V8 takes the seed of its tables of strings from it, which compiled code contains. Code compiled with another seed is accepted. */
const SAME_EACH_TIME = '--random-seed=1'

const REHEARSAL = fileURLToPath(new URL('rehearsal.ts', import.meta.url))

/** The arguments of Node with which it runs a command, and stores the code of what that loads. */
export function asRehearsal(folder: string, command: readonly string[]): readonly string[] {
  return [SAME_EACH_TIME, REHEARSAL, folder, ...command]
}

/** Runs commands with the build in `folder`, which then has the code that V8 compiled of each file that they load. */
export async function rehearse(folder: string, commands: readonly (readonly string[])[]): Promise<void> {
  mkdirSync(compiledFolder(folder, process), { recursive: true })
  const home = mkdtempSync(join(tmpdir(), 'crm-rehearsal-'))
  const server = createServer((request, response) => {
    const record = { id: 'con_1', name: 'Ada', created_at: new Date().toISOString() }
    const answer = request.method === 'POST' ? record : { data: [record], next_cursor: null, has_more: false }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const env = { HOME: home, CRM_BASE_URL: `http://127.0.0.1:${port}`, CRM_API_KEY: 'rehearsal' }
  try {
    for (const args of commands) {
      const child = spawn(process.execPath, asRehearsal(folder, args), {
        env,
        // Not the stdout of the build: the screens end with a sequence that shows the cursor.
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      let errorText = ''
      child.stderr.setEncoding('utf8').on('data', (part: string) => {
        errorText += part
      })
      const [exit] = await once(child, 'close')
      if (exit !== 0) throw new Error(`rehearsal of crm ${args.join(' ')} ended with ${exit}: ${errorText}`)
    }
  } finally {
    server.close()
    rmSync(home, { recursive: true })
  }
}
