import { expect, it } from 'vitest'
import type { References } from '../../../src/connector/field-map.ts'
import { createRecordMap, type RecordMap } from '../../../src/connector/record-map.ts'
import type { JsonObject } from '../../../src/core/json.ts'
import type { Resource } from '../../../src/core/resources/registry.ts'
import { shippedDocument } from '../../connector/shipped-documents.ts'

function mapOf(connector: string, resource: Resource): RecordMap {
  const described = shippedDocument(connector).resources[resource]
  if (!described) throw new Error(`${connector} has no ${resource}`)
  return createRecordMap(described, { connector, resource })
}

const BY = { active_from: '2026-01-01T00:00:00Z', active_until: null, created_by_actor: { type: 'system', id: null } }

const ATTIO_DEAL = {
  id: { workspace_id: 'w', object_id: 'o', record_id: 'r1' },
  created_at: '2026-01-02T03:04:05.061281000Z',
  values: {
    name: [{ ...BY, value: 'Fleet', attribute_type: 'text' }],
    value: [{ ...BY, currency_value: 12500.5, currency_code: 'EUR', attribute_type: 'currency' }],
    stage: [{ ...BY, status: { id: { status_id: 's1' }, title: 'Lead' }, attribute_type: 'status' }],
    owner: [
      {
        ...BY,
        referenced_actor_type: 'workspace-member',
        referenced_actor_id: 'u1',
        attribute_type: 'actor-reference',
      },
    ],
  },
}

const STAGES: References = {
  nameOf: (_, id) => ({ s1: 'Lead', s2: 'Won', '5': 'Lead' })[id],
  idOf: (_, name) => ({ Lead: 's1', Won: 's2' })[name] ?? name,
}

const ATTIO_PERSON = {
  id: { record_id: 'p1' },
  created_at: '2026-01-02T03:04:05Z',
  values: {
    name: [{ ...BY, first_name: 'Ada', last_name: 'King Lovelace', full_name: 'Ada King Lovelace' }],
    email_addresses: [
      { ...BY, email_address: 'ada@x.example', email_domain: 'x.example' },
      { ...BY, email_address: 'a@y.example', email_domain: 'y.example' },
    ],
    job_title: [{ ...BY, value: 'Engineer' }],
    phone_numbers: [],
  },
}

it('reads people and deals of Attio', () => {
  expect(mapOf('attio', 'contact').read(ATTIO_PERSON)).toEqual({
    id: 'p1',
    name: 'Ada King Lovelace',
    email: 'ada@x.example',
    phone: null,
    company_id: null,
    created_at: '2026-01-02T03:04:05Z',
    name_: 'Ada King Lovelace',
    email_addresses: ['ada@x.example', 'a@y.example'],
    job_title: 'Engineer',
    phone_numbers: null,
  })
  expect(mapOf('attio', 'deal').read(ATTIO_DEAL, STAGES)).toMatchObject({
    id: 'r1',
    name: 'Fleet',
    amount: 12500.5,
    stage: 'Lead',
    owner_id: 'u1',
  })
})

it('writes values of Attio as it takes them', () => {
  const [contact, deal] = [mapOf('attio', 'contact'), mapOf('attio', 'deal')]
  expect(contact.write({ name: 'Bo Li', email: 'bo@x.example' }, { isCreate: true })).toEqual({
    name: { first_name: 'Bo', last_name: 'Li', full_name: 'Bo Li' },
    email_addresses: ['bo@x.example'],
  })
  expect(contact.write({ email: 'n@x.example', phone: null }, { isCreate: false, current: ATTIO_PERSON })).toEqual({
    email_addresses: ['n@x.example', 'a@y.example'],
  })
  expect(
    deal.write({ owner_id: 'u2', stage: 'Won' }, { isCreate: false, current: ATTIO_DEAL, references: STAGES }),
  ).toEqual({
    owner: [{ referenced_actor_type: 'workspace-member', referenced_actor_id: 'u2' }],
    stage: 's2',
  })
})

it('writes the one value of a list of Attio as a list, where the row has it alone', () => {
  const contact = mapOf('attio', 'contact')
  const options = { isCreate: false, current: ATTIO_PERSON }
  expect(contact.write({ email_addresses: 'n@x.example', job_title: 'Dr' }, options)).toEqual({
    email_addresses: ['n@x.example'],
    job_title: ['Dr'],
  })
  expect(contact.write({ email_addresses: ['n@x.example'], phone_numbers: null }, options)).toEqual({
    email_addresses: ['n@x.example'],
    phone_numbers: [],
  })
})

const PIPEDRIVE_PERSON = {
  ...{ id: 7, name: 'Ada', first_name: 'Ada', last_name: null, owner_id: 4, org_id: null, is_deleted: false },
  ...{ add_time: '2026-01-02T03:04:05Z', update_time: null, picture_id: null },
  emails: [{ value: 'ada@x.example', primary: true, label: 'work' }],
  phones: [],
  custom_fields: { '0123456789abcdef0123456789abcdef01234567': 5 },
}

it.each<[string, Resource, JsonObject]>([
  ['attio', 'contact', ATTIO_PERSON],
  ['attio', 'deal', ATTIO_DEAL],
  ['pipedrive', 'contact', PIPEDRIVE_PERSON],
])('a record that was read from %s as %s can be imported again', (connector, resource, server) => {
  const map = mapOf(connector, resource)
  const row = Object.fromEntries(Object.entries(map.read(server, STAGES)).filter(([name]) => !map.isReadOnly(name)))
  const sent = map.write(row, { isCreate: true, references: STAGES })
  const { inside } = shippedDocument(connector).resources[resource] ?? {}
  const stored = inside === '.' ? sent : { [inside ?? '']: sent }
  const again = map.read(stored, STAGES)
  // Attio answers with lists of values, and keeps the parts of a name.
  if (connector === 'pipedrive')
    for (const name of Object.keys(row)) expect([name, again[name]]).toEqual([name, row[name]])
  else expect(Object.keys(sent)).toEqual(expect.arrayContaining(['name']))
})

it('takes a joined name and the parts of Attio for the same', () => {
  const map = mapOf('attio', 'contact')
  expect(
    map.write(
      { name: 'Ada King', name_: 'Ada King', email: 'a@x.example', email_addresses: 'a@x.example' },
      { isCreate: true },
    ),
  ).toEqual({
    name: { first_name: 'Ada', last_name: 'King', full_name: 'Ada King' },
    email_addresses: ['a@x.example'],
  })
  expect(() => map.write({ name: 'Ada', name_: 'Bo' }, { isCreate: true })).toThrow(/which the row says by name/)
})

it('searches the stage of a Pipedrive deal in its pipeline, and sends ids as numbers', () => {
  const map = mapOf('pipedrive', 'deal')
  const references: References = {
    nameOf: STAGES.nameOf,
    idOf: (resource, name, within) =>
      resource === 'stage' && name === 'Lead' && within.pipeline_id === '2' ? '5' : name,
  }
  const row = {
    name: 'Fleet',
    amount: 12500.5,
    stage: 'Lead',
    pipeline_id: '2',
    owner_id: '4',
    close_date: '2026-05-01',
  }
  expect(map.write(row, { isCreate: true, references })).toEqual({
    title: 'Fleet',
    value: 12500.5,
    stage_id: 5,
    pipeline_id: 2,
    owner_id: 4,
    expected_close_date: '2026-05-01',
  })
  expect(map.write({ stage: 'Lead' }, { isCreate: false, references, current: { id: 1, pipeline_id: 2 } })).toEqual({
    stage_id: 5,
  })
})

it('shows events of a Pipedrive webhook as a list, and writes exactly one', () => {
  const map = mapOf('pipedrive', 'webhook')
  expect(map.write({ url: 'https://x.example', events: ['contact.created'] }, { isCreate: true })).toEqual({
    subscription_url: 'https://x.example',
    event_action: 'create',
    event_object: 'person',
  })
  expect(map.read({ id: 1, event_action: 'delete', event_object: 'deal' }).events).toEqual(['deal.deleted'])
})
