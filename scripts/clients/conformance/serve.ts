import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { ROOT } from './driver.ts'

interface Serving {
  readonly baseUrl: string
  readonly apiKey: string
  close(): Promise<void>
}

/** The built `crm serve --objects FILE` in a process of its own, which has the objects of one database, that in memory. */
export async function serveObjects(objects: string): Promise<Serving> {
  const folder = mkdtempSync(join(tmpdir(), 'crm-objects-'))
  const apiKey = `crm_key_${randomBytes(32).toString('base64url')}`
  const keyFile = join(folder, 'key')
  writeFileSync(keyFile, `${apiKey}\n`, { mode: 0o600 })
  const args = ['serve', '--database', ':memory:', '--port', '0', '--ready-json', '--rate-limit', 'none', '--quiet']
  const child = spawn(
    process.execPath,
    [join(ROOT, 'bin/crm.js'), ...args, '--key-file', keyFile, '--objects', objects],
    { env: { PATH: process.env.PATH, HOME: folder }, stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const closed = once(child, 'close')
  const close = async () => {
    child.kill()
    await closed
    rmSync(folder, { recursive: true, force: true })
  }
  const first = once(createInterface({ input: child.stdout }), 'line')
  const line = await Promise.race([first, closed.then(() => undefined)])
  if (line) return { baseUrl: JSON.parse(String(line[0])).url, apiKey, close }
  await close()
  throw new Error('crm serve --objects did not start')
}
