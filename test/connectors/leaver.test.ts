import { describe, expect, test } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import type { EmulatorOptions } from './emulators/emulator.ts'
import { connected, SERVERS } from './servers.ts'

const USERS: Readonly<Record<string, readonly (readonly [email: string, status?: string])[]>> = {
  pipedrive: [
    ['ada@crm.example', 'active'],
    ['bernd@crm.example', 'active'],
    ['leaver@crm.example', 'archived'],
  ],
  hubspot: [
    ['susan@crm.example', 'active'],
    ['ada@crm.example', 'active'],
    ['leaver@crm.example', 'archived'],
  ],
  salesforce: [
    ['admin@crm.example', 'active'],
    ['susan@crm.example', 'active'],
    ['leaver@crm.example', 'archived'],
  ],
  zoho: [
    ['admin@crm.example', 'active'],
    ['susan@crm.example', 'active'],
    ['leaver@crm.example', 'archived'],
  ],
}

describe.each(SERVERS)('$connector', (server) => {
  test('lists its users, those who have left too', async () => {
    const { env } = await connected(server)
    const users = JSON.parse(await crmPrints(['users', 'list', '-o', 'json'], env))
    const known = USERS[server.connector]
    if (known) expect(users).toMatchObject(known.map(([email, status]) => ({ email, status })))
    expect(users[0]).toMatchObject({ id: expect.anything(), email: expect.stringContaining('@') })
  })

  test('counts what an owner has, by email', async () => {
    const { env } = await connected(server, { records: 3 })
    const [{ email, id }] = JSON.parse(await crmPrints(['users', 'list', '-o', 'json'], env))
    const deals = JSON.parse(await crmPrints(['deals', 'list', '-o', 'json'], env))
    const own = deals.filter(({ owner_id }: { owner_id: unknown }) => String(owner_id) === String(id))
    const rows = JSON.parse(await crmPrints(['report', 'owners', '--of', email.toUpperCase(), '-o', 'json'], env))
    expect(rows).toContainEqual(expect.objectContaining({ object: 'deals', records: own.length, open: own.length }))
    const wrong = await crm(['report', 'owners', '--of', email.replace('a', 'ab')], env)
    expect(wrong).toMatchObject({ exit: 2, stdout: '' })
    expect(wrong.stderr).toContain(`the nearest is ${email}`)
    expect(wrong.stderr).toContain(`crm report owners --of ${email}`)
  })
})

type Listed = Readonly<Record<'id' | 'name' | 'owner_id', unknown>>

describe.each(SERVERS.filter(({ connector }) => connector !== 'close'))('$connector', (server) => {
  test('gives the records of one user to another one by email, and takes them back', async () => {
    const { env } = await connected(server, { records: 3 })
    const list = async (noun: string): Promise<Listed[]> =>
      JSON.parse(await crmPrints([noun, 'list', '-o', 'json'], env))
    const [{ owner_id: owner } = { owner_id: null }] = await list('deals')
    const users = JSON.parse(await crmPrints(['users', 'list', '-o', 'json'], env))
    const isOwner = ({ id }: Listed) => String(id) === String(owner ?? users[0].id)
    const [from, to] = [users.find(isOwner), users.find((user: Listed) => !isOwner(user))]
    if (owner === null)
      await crmPrints(['deals', 'update', '--where', 'true', '--set', `owner_id=${from.id}`, '--yes'], env)
    const before = [...(await list('contacts')), ...(await list('deals'))]
    const words = ['reassign', '--from', from.email, '--to', to.email]
    const dry = await crm([...words, '--dry-run', '-o', 'json'], env)
    expect(dry.stderr).toContain(`Owner: ${from.email} (${from.id}) → ${to.email} (${to.id})`)
    expect(JSON.parse(dry.stdout)).toContainEqual(expect.objectContaining({ object: 'deals', update: 3 }))
    const sent = JSON.parse(await crmPrints([...words, '--yes', '-o', 'json'], env))
    expect(sent.at(-1)).toMatchObject({ object: 'deals', done: 3 })
    for (const deal of await list('deals')) expect(String(deal.owner_id)).toBe(String(to.id))
    await crmPrints(['jobs', 'undo', sent[0].job, '--yes'], env)
    const after = [...(await list('contacts')), ...(await list('deals'))]
    expect(after.map(({ id, owner_id }) => [id, owner_id])).toEqual(before.map(({ id, owner_id }) => [id, owner_id]))
  })
})

/** Three contacts and three deals of a user who was deactivated. */
async function withLeaver(answers?: EmulatorOptions['answers']) {
  const hubspot = SERVERS.find(({ connector }) => connector === 'hubspot') as (typeof SERVERS)[number]
  const held = { answers: undefined as EmulatorOptions['answers'] }
  const there = await connected(hubspot, { records: 3, answers: (call, own) => held.answers?.(call, own) ?? own() })
  for (const noun of ['contacts', 'deals'])
    await crmPrints([noun, 'update', '--where', 'true', '--set', 'owner_id=703', '--yes'], there.env)
  held.answers = answers
  const owners = (noun: string) =>
    there.emulator.records(noun).map(({ properties }) => (properties as Record<string, unknown>).hubspot_owner_id)
  return { ...there, held, owners: () => [...owners('contacts'), ...owners('deals')] }
}

const WORDS = ['reassign', '--from', 'leaver@crm.example', '--to', 'ada@crm.example', '--yes']

describe('the leaver on HubSpot', () => {
  test('is found by email though archived, and refused as the target, as is an email that nobody has', async () => {
    const { env, owners } = await withLeaver()
    const back = await crm(['reassign', '--from', 'ada@crm.example', '--to', 'leaver@crm.example', '--yes'], env)
    expect(back).toMatchObject({ exit: 2, stdout: '', stderr: expect.stringContaining('this user has left') })
    const typo = await crm(WORDS.with(4, 'adda@crm.example'), env)
    expect(typo).toMatchObject({ exit: 2, stdout: '' })
    expect(typo.stderr).toContain('--to adda@crm.example: no user has this email or id; the nearest is ada@crm.example')
    expect(new Set(owners())).toEqual(new Set(['703']))
    const sent = await crm(WORDS, env)
    expect(sent.exit, sent.stderr).toBe(0)
    expect(sent.stderr).toContain('Owner: leaver@crm.example (703, archived) → ada@crm.example (702)')
    expect(sent.stderr).toMatch(/ {2}3 deals, amount 60\n {4}1 {2}Deal 1 {2}Stage 1 {2}10\n/)
    expect(new Set(owners())).toEqual(new Set(['702']))
  })

  test('rows that fail do not stop the next object, and the exit code says that it was partly done', async () => {
    const refused = { status: 400, body: { status: 'error', category: 'VALIDATION_ERROR', message: 'not this one' } }
    const { env, owners } = await withLeaver(({ method, path }, own) =>
      method === 'POST' && path.endsWith('contacts/batch/update') ? refused : own(),
    )
    const sent = await crm([...WORDS, '-o', 'json'], env)
    expect(sent.exit).toBe(3)
    expect(JSON.parse(sent.stdout)).toMatchObject([
      { object: 'contacts', done: 0, failed: 3 },
      { object: 'deals', done: 3 },
    ])
    expect(owners()).toEqual(['703', '703', '703', '702', '702', '702'])
  })

  test('a job that is stopped stops the chain, and the same command or a resume of any job goes on', async () => {
    const refused = { status: 403, body: { status: 'error', category: 'MISSING_SCOPES', message: 'no scope' } }
    const forbidden: EmulatorOptions['answers'] = ({ method, path }, own) =>
      method === 'POST' && path.endsWith('contacts/batch/update') ? refused : own()
    for (const goOn of ['same', 'resume'] as const) {
      const { env, owners, held } = await withLeaver(forbidden)
      const stopped = await crm(WORDS, env)
      expect(stopped.exit).toBe(5)
      expect(stopped.stderr).toMatch(/Not sent: job_\w+, 3 deals\.\nTo send the rest: crm jobs resume job_\w+\n/)
      expect(new Set(owners())).toEqual(new Set(['703']))
      held.answers = undefined
      const [, last = ''] = /Not sent: (job_\w+)/.exec(stopped.stderr) ?? []
      const more = await crm(goOn === 'same' ? WORDS : ['jobs', 'resume', last], env)
      expect(more.exit, more.stderr).toBe(0)
      expect(new Set(owners())).toEqual(new Set(['702']))
      expect(JSON.parse(await crmPrints(['jobs', 'list', '-o', 'json'], env))).toHaveLength(4)
    }
  })

  test('a cancelled chain sends nothing more, and its undo takes back what was done', async () => {
    const refused = { status: 403, body: { status: 'error', category: 'MISSING_SCOPES', message: 'no scope' } }
    const { env, owners, held } = await withLeaver(({ method, path }, own) =>
      method === 'POST' && path.endsWith('0-3/batch/update') ? refused : own(),
    )
    const stopped = await crm(WORDS, env)
    expect(stopped.exit).toBe(5)
    expect(owners()).toEqual(['702', '702', '702', '703', '703', '703'])
    held.answers = undefined
    const [, last = ''] = /crm jobs resume (job_\w+)/.exec(stopped.stderr) ?? []
    const cancelled = JSON.parse(await crmPrints(['jobs', 'cancel', last, '-o', 'json'], env))
    expect(cancelled).toMatchObject([{ state: 'finished' }, { state: 'cancelled', unsent: 3 }])
    await crmPrints(['jobs', 'undo', last, '--yes'], env)
    expect(new Set(owners())).toEqual(new Set(['703']))
  })

  test('an undo that is stopped and repeated stays one chain, so that one undo of it reverts both objects', async () => {
    const refused = { status: 403, body: { status: 'error', category: 'MISSING_SCOPES', message: 'no scope' } }
    const { env, owners, held } = await withLeaver(undefined)
    await crmPrints(WORDS, env)
    const [last = ''] = (await crmPrints(['jobs', 'list', '-o', 'id'], env)).split('\n')
    held.answers = ({ method, path }, own) => (method === 'POST' && path.endsWith('0-3/batch/update') ? refused : own())
    expect((await crm(['jobs', 'undo', last, '--yes'], env)).exit).toBe(5)
    held.answers = undefined
    await crmPrints(['jobs', 'undo', last, '--yes'], env)
    expect(new Set(owners())).toEqual(new Set(['703']))
    const jobs: { id: string; chain: string }[] = JSON.parse(await crmPrints(['jobs', 'list', '-o', 'json'], env))
    expect(new Set(jobs.slice(0, 2).map(({ chain }) => chain)).size).toBe(1)
    await crmPrints(['jobs', 'undo', jobs[0]?.id ?? '', '--yes'], env)
    expect(new Set(owners())).toEqual(new Set(['702']))
  })
})
