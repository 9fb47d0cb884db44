import { expect, test } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import type { EmulatorOptions, Row } from './emulators/emulator.ts'
import { connected, SERVERS } from './servers.ts'

function serverOf(name: string) {
  const server = SERVERS.find(({ connector }) => connector === name)
  if (!server) throw new Error(`there is no emulator of ${name}`)
  return server
}

const MERGE = ['contacts', 'merge', '1', '2', '3', '--yes', '--expect', '2']

/** Four persons at Pipedrive, each with a deal of the same number; a merge makes one of the first three. */
async function fourDeals(options: EmulatorOptions = {}) {
  const there = await connected(serverOf('pipedrive'), { records: 4, ...options })
  const { env, emulator } = there
  const run = (...words: readonly string[]) => crm([...words, '-o', 'json'], env)
  /** The account of a command that succeeds. */
  const sent = async (...words: readonly string[]) => {
    const { exit, stdout, stderr } = await run(...words)
    expect(exit, stderr).toBe(0)
    return JSON.parse(stdout)
  }
  return { ...there, run, sent, names: () => personsOf(emulator.records('deals'), emulator.records('persons')) }
}

/** The person of each deal, in the order of the deals. */
function personsOf(deals: readonly Row[], persons: readonly Row[]): readonly unknown[] {
  const named = new Map(persons.map(({ id, name }) => [id, name]))
  return deals.toSorted((one, other) => Number(one.id) - Number(other.id)).map(({ person_id: id }) => named.get(id))
}

const [FIRST, SECOND, THIRD, FOURTH] = [1, 2, 3, 4].map((n) => `Person ${n}`)
const APART = [FIRST, SECOND, THIRD, FOURTH]
const TOGETHER = [FIRST, FIRST, FIRST, FOURTH]

test('a merge gives the deals of the losers to the winner, and one undo gives them back to the losers under their new ids', async () => {
  const { run, sent, names, emulator } = await fourDeals()
  const trial = await run(...MERGE, '--dry-run')
  expect(trial.exit, trial.stderr).toBe(0)
  expect(JSON.parse(trial.stdout)).toMatchObject({ delete: 2, repointed: 2, requests: 4 })
  expect(await sent('jobs', 'list')).toEqual([])

  const unconfirmed = await run('contacts', 'merge', '1', '2', '3')
  expect(unconfirmed.exit).toBe(11)
  expect(unconfirmed.stderr).toContain('First, 2 deals re-pointed to the winners (contact_id):')
  expect(unconfirmed.stderr).toContain('deleting 2 contacts (2 deals are re-pointed first) from')
  expect(names()).toEqual(APART)

  const { job, ...account } = await sent(...MERGE)
  expect(account).toMatchObject({ failed: 0, in_doubt: 0, repointed: 2 })
  expect(names()).toEqual(TOGETHER)
  expect(await sent(...MERGE)).toMatchObject({ job, repointed: 2 })
  expect(emulator.effects('deals', 'updated')).toBe(2)

  expect(await sent('jobs', 'undo', job, '--yes')).toMatchObject({ failed: 0, repointed: 2 })
  expect(names()).toEqual(APART)
  expect(emulator.records('persons').map(({ id }) => Number(id))).toEqual([1, 4, 5, 6])
  expect(await sent('jobs', 'undo', job, '--yes')).toMatchObject({ repointed: 2 })
  expect(emulator.effects('deals', 'updated')).toBe(4)
})

test('a deal that cannot be re-pointed keeps the merge from being sent; the same command goes on, and one undo takes all back', async () => {
  let isRefused = true
  const refuses: EmulatorOptions['faults'] = ({ method, path }) =>
    isRefused && method === 'PATCH' && path.endsWith('/deals/3') ? 'refuse-in-200' : undefined
  const { run, sent, names } = await fourDeals({ faults: refuses })
  const { exit, stderr } = await run(...MERGE)
  expect(exit, stderr).toBe(3)
  expect(stderr).toContain('the merge was not sent, and the same command goes on')
  expect(names()).toEqual([FIRST, FIRST, THIRD, FOURTH])
  isRefused = false
  const { job, repointed } = await sent(...MERGE)
  expect(repointed).toBe(2)
  expect(names()).toEqual(TOGETHER)
  const { needs } = await sent('jobs', 'show', job)
  expect(needs).toHaveLength(2)
  expect(await sent('jobs', 'undo', job, '--yes')).toMatchObject({ repointed: 2 })
  expect(names()).toEqual(APART)
})

test('nothing is deleted while a deal names a loser that someone gave it after the plan was made', async () => {
  const { run, sent, names, emulator } = await fourDeals({
    answers: ({ method, path }, own) => {
      const [last] = emulator.records('deals').filter(({ id }) => id === 4)
      if (method === 'PATCH' && path.endsWith('/deals/2') && last) last.person_id = 3
      return own()
    },
  })
  const { exit, stderr } = await run(...MERGE)
  expect(exit, stderr).toBe(7)
  expect(stderr).toContain('1 deal names a loser: 4')
  expect(emulator.records('persons')).toHaveLength(4)
  expect(await sent(...MERGE)).toMatchObject({ failed: 0, repointed: 3 })
  expect(names()).toEqual([FIRST, FIRST, FIRST, FIRST])
})

test('the jobs of a merge are not undone alone where deals would name contacts that do not exist', async () => {
  const { run, sent, names } = await fourDeals()
  const { job } = await sent(...MERGE)
  const [repoint] = (await sent('jobs', 'show', job)).needs
  const alone = await run('jobs', 'undo', repoint, '--yes')
  expect([alone.exit, alone.stderr]).toEqual([7, expect.stringContaining(`crm jobs undo ${job}`)])
  const { job: undo } = await sent('jobs', 'undo', job, '--yes')
  const { undone_by: given } = await sent('jobs', 'show', repoint)
  const again = await run('jobs', 'undo', undo, '--yes', '--expect', '2')
  expect([again.exit, again.stderr]).toEqual([7, expect.stringContaining(`crm jobs undo ${given}`)])
  await sent('jobs', 'undo', given, '--yes')
  await sent('jobs', 'undo', undo, '--yes', '--expect', '2')
  expect(names()).toEqual(TOGETHER)
})

test('deals of losers that are marked are re-pointed too', async () => {
  const { sent, names } = await fourDeals()
  const merge = ['contacts', 'merge', '1', '2', '3', '--losers', 'mark=phone', '--yes']
  const { job, ...account } = await sent(...merge)
  expect(account).toMatchObject({ failed: 0, repointed: 2 })
  expect(names()).toEqual(TOGETHER)
  expect(await sent('jobs', 'undo', job, '--yes')).toMatchObject({ repointed: 2 })
  expect(names()).toEqual(APART)
})

test('ids that are texts are re-pointed and given back', async () => {
  const server = serverOf('close')
  const there = await connected(server, { records: 3 })
  const { env } = there
  const rows = async (noun: string): Promise<Row[]> => JSON.parse(await crmPrints([noun, 'list', '-o', 'json'], env))
  const [winner, loser, other] = await rows('contacts')
  const { stages, others } = await server.dealFields(there)
  const members = ['name=Deal', `stage=${stages[0]}`, `contact_id=${loser?.id}`, ...(others ?? [])]
  const deal = JSON.parse(
    await crmPrints(['deals', 'create', ...members.flatMap((member) => ['--set', member]), '-o', 'json'], env),
  )
  const contact = async () => (await rows('deals')).find(({ id }) => id === deal.id)?.contact_id
  const merge = ['contacts', 'merge', String(winner?.id), String(loser?.id), '--yes', '-o', 'json']
  const { job, repointed } = JSON.parse(await crmPrints(merge, env))
  expect([repointed, await contact()]).toEqual([1, winner?.id])
  await crmPrints(['jobs', 'undo', job, '--yes'], env)
  const known = [winner?.id, loser?.id, other?.id]
  const [renewed] = (await rows('contacts')).filter(({ id }) => !known.includes(id))
  expect([renewed?.name, await contact()]).toEqual([loser?.name, renewed?.id])
})

test('where the contact of a deal cannot change, a merge that would delete it is refused', async () => {
  const { env } = await connected(serverOf('onepagecrm'), { records: 3 })
  const [deal] = JSON.parse(await crmPrints(['deals', 'list', '-o', 'json'], env))
  const contacts: { id: string }[] = JSON.parse(await crmPrints(['contacts', 'list', '-o', 'json'], env))
  const winner = contacts.find(({ id }) => id !== deal.contact_id)?.id ?? ''
  const refused = await crm(['contacts', 'merge', winner, deal.contact_id, '--yes', '--expect', '1'], env)
  expect(refused.exit, refused.stderr).toBe(7)
  expect(refused.stderr).toContain('this server does not let contact_id of a deal change')
  expect(refused.stderr).toContain('--losers mark=MEMBER keeps the losers')
})
