import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { crmHurried } from '../harness/crm.ts'
import type { ZohoOptions } from './emulators/zoho.ts'
import { shortLived } from './kill-claim.ts'
import { connected, SERVERS } from './servers.ts'

const [ZOHO] = SERVERS.filter(({ connector }) => connector === 'zoho')

export async function reachZoho(options: ZohoOptions = {}) {
  if (!ZOHO) throw new Error('there is no Zoho')
  const there = await connected(ZOHO, options)
  const { emulator } = there
  const env = shortLived(there.env)
  return {
    ...there,
    records: (module: string) => emulator.records(module),
    fileOf: (name: string, lines: readonly string[]) => {
      const path = join(env.HOME ?? '', name)
      writeFileSync(path, `${lines.join('\n')}\n`)
      return path
    },
    run: (...args: string[]) => crmHurried(args, env),
    json: async (...args: string[]) => {
      const { exit, stdout, stderr } = await crmHurried([...args, '-o', 'json'], env)
      expect(exit, stderr).toBe(0)
      return JSON.parse(stdout)
    },
    sent: (method: string, path = '') =>
      emulator.requests.filter((one) => one.method === method && one.path.startsWith(`/crm/v8${path}`)),
  }
}
