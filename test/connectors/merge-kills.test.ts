import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import type { Call, Row } from './emulators/emulator.ts'
import { shortLived } from './kill-claim.ts'
import { connected, SERVERS } from './servers.ts'

const CRM = fileURLToPath(new URL('../../bin/crm.js', import.meta.url))
const GROUPS = 40
/** Writes of a run at which it is killed: while deals are re-pointed, at the end of that, and while losers are deleted. */
const MERGE_KILLS = [3, 12, 25, 5, 15]
/** While losers are made again, at the end of that, and while their deals get them back. */
const UNDO_KILLS = [10, 29, 6, 15]

test('a merge at Pipedrive that re-points deals, killed five times, and its undo, killed four times, change each record once', async () => {
  const [server] = SERVERS.filter(({ connector }) => connector === 'pipedrive')
  if (!server) throw new Error('there is no emulator of Pipedrive')
  let [writes, killAt] = [0, Number.POSITIVE_INFINITY]
  let child: ChildProcess | undefined
  const kills = ({ method }: Call) => {
    if (method === 'GET') return undefined
    writes += 1
    if (writes === killAt) child?.kill('SIGKILL')
    return undefined
  }
  const { env: there, emulator } = await connected(server, { records: 2 * GROUPS, faults: kills })
  const env = shortLived(there)
  const persons = () => emulator.records('persons')
  const personOfDeal = () => {
    const named = new Map(persons().map(({ id, name }: Row) => [id, name]))
    return emulator.records('deals').map(({ id, person_id: person }: Row) => [id, named.get(person)])
  }
  const before = personOfDeal()
  const groups = join(env.HOME ?? '', 'groups.jsonl')
  const pairs = Array.from({ length: GROUPS }, (_, at) => JSON.stringify({ ids: [2 * at + 1, 2 * at + 2] }))
  writeFileSync(groups, pairs.join('\n'))

  /** Runs a command, killed at these writes and then not; returns what the last run printed. */
  async function killed(words: readonly string[], at: readonly number[]) {
    for (const write of at) {
      ;[writes, killAt] = [0, write]
      child = spawn(process.execPath, [CRM, ...words], { env, stdio: ['ignore', 'ignore', 'pipe'] })
      const [said] = await Promise.all([text(child.stderr ?? process.stdin), once(child, 'close')])
      expect(child.signalCode, said).toBe('SIGKILL')
    }
    killAt = Number.POSITIVE_INFINITY
    const { exit, stdout, stderr } = await crm([...words, '-o', 'json'], env)
    expect(exit, stderr).toBe(0)
    return JSON.parse(stdout)
  }

  const merge = ['contacts', 'merge', '--from', groups, '--yes', '--expect', String(GROUPS), '--concurrency', '1']
  const { job, ...account } = await killed(merge, MERGE_KILLS)
  expect(account).toMatchObject({ failed: 0, in_doubt: 0, unsent: 0, repointed: GROUPS })
  expect(persons()).toHaveLength(GROUPS)
  expect(personOfDeal()).toEqual(before.map(([id], at) => [id, `Person ${at - (at % 2) + 1}`]))
  const { needs } = JSON.parse(await crmPrints(['jobs', 'show', job, '-o', 'json'], env))
  expect(needs).toHaveLength(1)

  const undo = await killed(['jobs', 'undo', job, '--yes', '--concurrency', '1'], UNDO_KILLS)
  expect(undo).toMatchObject({ failed: 0, in_doubt: 0, unsent: 0, repointed: GROUPS })
  expect(persons()).toHaveLength(2 * GROUPS)
  expect(personOfDeal()).toEqual(before)
})
