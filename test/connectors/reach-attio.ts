import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { crmPrints } from '../harness/crm.ts'
import { ask } from './emulators/ask.ts'
import type { EmulatorOptions, Row } from './emulators/emulator.ts'
import { connected, SERVERS } from './servers.ts'

/** A workspace of Attio, and what tests do with it. */
export async function reachAttio(options: EmulatorOptions = { records: 3 }) {
  const [server] = SERVERS.filter(({ connector }) => connector === 'attio')
  if (!server) throw new Error('there is no Attio')
  const { env, emulator } = await connected(server, options)
  const fileOf = (name: string, lines: readonly string[]) => {
    const path = join(env.HOME ?? '', name)
    writeFileSync(path, `${lines.join('\n')}\n`)
    return path
  }
  return {
    env,
    emulator,
    fileOf,
    prints: (...args: string[]) => crmPrints(args, env),
    json: async (...args: string[]) => JSON.parse(await crmPrints([...args, '-o', 'json'], env)),
    undo: async () => {
      const [job = ''] = (await crmPrints(['jobs', 'list', '-o', 'id'], env)).split('\n')
      return crmPrints(['jobs', 'undo', job, '--yes'], env)
    },
    post: async (path: string, data: object) => {
      const headers = { authorization: `Bearer ${emulator.key}` }
      const { status } = await ask(emulator.url, `POST /v2/${path}`, { json: { data }, headers })
      expect(status, path).toBe(200)
    },
    state: () => structuredClone(['people', 'companies', 'deals'].map((kind) => emulator.records(kind))),
    owner: ((emulator.records('members')[0] as Row).id as Row).workspace_member_id as string,
  }
}
