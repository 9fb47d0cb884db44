import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createClient } from '../../src/library/create-client.ts'
import { crm } from '../harness/crm.ts'
import type { Row } from './emulators/emulator.ts'
import { type ConnectedServer, connected, SERVERS } from './servers.ts'

interface Note {
  readonly id: string
  readonly body: string
  readonly deal_id?: string | null
  readonly contact_id?: string | null
  readonly company_id?: string | null
  readonly ticket_id?: string | null
}

/** What each vendor keeps of a note on a contact, and the kinds that it has notes on. */
const VENDORS: readonly {
  readonly connector: string
  readonly kinds: readonly string[]
  readonly notes: string
  readonly kept: (id: string, row: Row) => unknown
}[] = [
  {
    connector: 'pipedrive',
    kinds: ['deals', 'contacts', 'companies'],
    notes: 'notes',
    kept: (id, { person_id, deal_id }) => [String(person_id) === id, deal_id],
  },
  {
    connector: 'hubspot',
    kinds: ['deals', 'contacts', 'companies'],
    notes: 'notes',
    kept: (_, { properties }) => [typeof (properties as Row).hs_timestamp === 'string', null],
  },
  {
    connector: 'attio',
    kinds: ['deals', 'contacts', 'companies'],
    notes: 'notes',
    kept: (id, row) => [row.parent_record_id === id && row.parent_object === 'people', null],
  },
  {
    connector: 'onepagecrm',
    kinds: ['deals', 'contacts'],
    notes: 'notes',
    kept: (id, { contact_id, linked_deal_id }) => [contact_id === id, linked_deal_id ?? null],
  },
  {
    connector: 'salesforce',
    kinds: ['deals', 'contacts', 'companies'],
    notes: 'Note',
    kept: (id, row) => [row.ParentId === id, null],
  },
  {
    connector: 'zoho',
    kinds: ['deals', 'contacts', 'companies'],
    notes: 'Notes',
    kept: (id, { Parent_Id: on }) => [(on as Row).id === id, null],
  },
]

async function reached(connector: string) {
  const server = SERVERS.find((each) => each.connector === connector)
  if (!server) throw new Error(`${connector} is no server`)
  const there = await connected(server, { records: 3 })
  const dealFields = await server.dealFields(there)
  const run = (...args: string[]) => crm(args, there.env)
  const json = async (...args: string[]) => {
    const { exit, stdout, stderr } = await run(...args, '-o', 'json')
    expect(exit, `${args.join(' ')}\n${stderr}`).toBe(0)
    return JSON.parse(stdout)
  }
  return { ...there, run, json, dealFields }
}

/** One record of each kind. */
async function madeIds(
  { json, dealFields }: Awaited<ReturnType<typeof reached>>,
  kinds: readonly string[],
): Promise<Readonly<Record<string, string>>> {
  const { stages, others = [] } = dealFields
  const fields: Readonly<Record<string, readonly string[]>> = {
    deals: ['name=Big', `stage=${stages?.[0]}`, ...others],
    contacts: ['name=Ada Lovelace', 'email=ada@engines.test'],
    companies: ['name=Engines'],
  }
  const ids: Record<string, string> = {}
  for (const kind of kinds) {
    const set = (fields[kind] ?? []).flatMap((each) => ['--set', each])
    ids[kind] = (await json(kind, 'create', ...set)).id
  }
  return ids
}

function memberOf(kind: string): keyof Note {
  return ({ deals: 'deal_id', contacts: 'contact_id', companies: 'company_id' } as const)[kind] ?? 'ticket_id'
}

function fileOf({ env }: Pick<ConnectedServer, 'env'>, text: string): string {
  const path = join(env.HOME ?? '', 'notes.csv')
  writeFileSync(path, text)
  return path
}

describe.each(VENDORS)('notes of $connector', ({ connector, kinds, notes, kept }) => {
  test('are on each kind of record, exported once each, and come back where they were', async () => {
    const there = await reached(connector)
    const { json, run, emulator } = there
    const ids = await madeIds(there, kinds)
    for (const kind of kinds) {
      const on = kind === 'deals' ? [] : ['--on', kind]
      const id = ids[kind] ?? ''
      await json('notes', 'add', ...on, '--body', `On ${kind}`, id)
      const listed: Note[] = await json('notes', 'list', ...on, id)
      const own = listed.filter(({ body }) => body === `On ${kind}`)
      expect(own.map((note) => note[memberOf(kind)])).toEqual([id])
    }
    const row = emulator.records(notes)[kinds.indexOf('contacts')] as Row
    expect(kept(ids.contacts ?? '', row)).toEqual([true, null])

    const exported = async () => {
      const path = join(there.env.HOME ?? '', 'all.json')
      expect(await run('notes', 'export', path)).toMatchObject({ exit: 0 })
      const all: Note[] = JSON.parse(readFileSync(path, 'utf8'))
      return all.map((note) => [note.body, ...kinds.map((kind) => note[memberOf(kind)] ?? null)]).toSorted()
    }
    const all = await exported()
    expect(all.map(([body]) => body)).toEqual(kinds.map((kind) => `On ${kind}`).toSorted())
    for (const [body, ...on] of all) {
      const kind = String(body).slice('On '.length)
      expect(on[kinds.indexOf(kind)]).toBe(ids[kind])
    }

    const rows = kinds.map((kind, at) => [`Row ${kind}`, ...kinds.map((_, of) => (of === at ? ids[kind] : ''))].join())
    const file = fileOf(there, `${[['body', ...kinds.map(memberOf)].join(), ...rows].join('\n')}\n`)
    await json('notes', 'import', file, '--yes')
    const whole = await exported()
    const undo = async () => {
      const [job = ''] = (await run('jobs', 'list', '-o', 'id')).stdout.split('\n')
      const undone = await json('jobs', 'undo', job, '--yes', '--expect', `${kinds.length}`)
      expect(undone).toMatchObject({ done: kinds.length, failed: 0 })
    }
    await undo()
    expect(await exported()).toEqual(all)
    await undo()
    expect(await exported()).toEqual(whole)
  })

  test('of a file are on what their rows name, and a row that names nothing or two is refused', async () => {
    const there = await reached(connector)
    const { json, run } = there
    const ids = await madeIds(there, kinds)
    const file = fileOf(there, `body,contact.email,deal.name\nOne,ADA@engines.test,\nTwo,,Big\n`)
    const dry = await run('notes', 'import', file, '--dry-run')
    expect(dry.stderr).toMatch(/create line 2: contact_id "[^"]+" \(.+\), body "One"/)
    expect(await json('notes', 'import', file, '--yes')).toMatchObject({ done: 2 })
    expect(await json('notes', 'list', '--on', 'contacts', ids.contacts ?? '')).toContainEqual(
      expect.objectContaining({ body: 'One', contact_id: ids.contacts }),
    )
    expect(await json('notes', 'list', ids.deals ?? '')).toMatchObject([{ body: 'Two', deal_id: ids.deals }])
    await json('notes', 'add', ids.contacts ?? '', '--on', 'contacts', '--body', 'Three')
    const cut = await run('notes', 'list', ids.contacts ?? '', '--on', 'contacts', '--limit', '1', '-o', 'json')
    expect([JSON.parse(cut.stdout).length, cut.stderr]).toEqual([1, expect.stringMatching(/there (?:are|may be) more/)])
    const wrong = fileOf(there, `body,contact_id,deal_id\nOne,${ids.contacts},${ids.deals}\nTwo,,\n`)
    const { exit, stderr } = await run('notes', 'import', wrong, '--yes')
    expect(exit).toBe(2)
    expect(stderr).toContain('names a contact, too, and a note is on one record')
    expect(stderr).toContain(`one of ${kinds.map(memberOf).join(', ')}`)
  })

  test('on something else are refused with what it has notes on', async () => {
    const { run, emulator } = await reached(connector)
    const asked = emulator.requests.length
    const { exit, stderr } = await run('notes', 'list', '7', '--on', 'pipelines')
    expect(exit).toBe(2)
    expect(stderr).toContain(`${connector} (connector) has notes on deals`)
    expect(stderr).toContain('not on pipelines\n  crm notes list DEAL_ID\n')
    expect(await run('notes', 'add', 'con_1', '--body', 'x')).toMatchObject({
      exit: 2,
      stderr: 'crm: con_1 is the id of a contact, not of a deal\n  crm notes add con_1 --body x --on contacts\n',
    })
    expect(emulator.requests.length).toBe(asked)
  })
})

test('notes of HubSpot are on tickets, which its connector alone has', async () => {
  const { json, emulator } = await reached('hubspot')
  const { id } = await json('tickets', 'create', '--set', 'subject=Broken', '--set', 'stage_id=1')
  await json('notes', 'add', '--on', 'tickets', '--body', 'Fixed', id)
  expect(await json('notes', 'list', '--on', 'tickets', id)).toMatchObject([{ body: 'Fixed', ticket_id: id }])
  expect(emulator.requests.map(({ path }) => path)).toContain('/crm/v4/associations/notes/tickets/labels')
})

test('emails and quotes of HubSpot are linked with records', async () => {
  const { json } = await reached('hubspot')
  const contact = (await json('contacts', 'create', '--set', 'email=ada@engines.test')).id
  const sent = ['subject=Offer', 'body=As agreed', 'direction=EMAIL', 'sent_at=2026-11-30T09:00:00Z']
  const quoted = ['title=Offer', 'expires_at=2026-12-31T00:00:00Z', 'status=DRAFT']
  for (const [noun, fields] of [
    ['emails', sent],
    ['quotes', quoted],
  ] as const) {
    const set = [...fields, `contact_ids:=["${contact}"]`].flatMap((each) => ['--set', each])
    const { id } = await json(noun, 'create', ...set)
    expect(await json(noun, 'get', id, '--fields', 'contact_ids')).toMatchObject({ contact_ids: [contact] })
  }
})

test('the library has notes on what its caller names', async () => {
  const { emulator, env } = await reached('pipedrive')
  vi.stubGlobal('CRM_VERSION', '0.0.0')
  const at = { baseUrl: env.CRM_BASE_URL, apiKey: env.CRM_API_KEY, connector: 'pipedrive' }
  const client = createClient({ ...at, connectorVariables: { company: 'acme' } })
  onTestFinished(() => client.close())
  const note = await client.notes.create({ on: 'contacts', id: '2' }, { body: 'Called' })
  expect(note).toMatchObject({ contact_id: '2', body: 'Called' })
  const listed: unknown[] = []
  for await (const each of client.notes.list({ on: 'contacts', id: '2' })) listed.push(each)
  expect(listed).toEqual([note])
  const sent = emulator.requests.length
  for (const on of ['users', 'contcts']) {
    await expect(client.notes.create({ on, id: '2' }, { body: 'x' })).rejects.toThrow(on)
  }
  expect(emulator.requests.length).toBe(sent)
})

test('a row with the id of a note changes it, without what it is on', async () => {
  const there = await reached('pipedrive')
  const { id } = await there.json('notes', 'add', '1', '--on', 'contacts', '--body', 'Called')
  const file = fileOf(there, `id,body\n${id},Wrote\n`)
  expect(await there.json('notes', 'import', file, '--yes')).toMatchObject({ done: 1 })
  expect(await there.json('notes', 'list', '1', '--on', 'contacts')).toMatchObject([{ id, body: 'Wrote' }])
})
