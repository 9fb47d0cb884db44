import { compilePath, readEach } from '../src/api/connectors/paths.ts'
import { createRecordMap } from '../src/api/connectors/record-map.ts'
import { shippedConnector } from '../src/api/connectors/shipped.ts'
import { SeenRecords } from '../src/api/pages/same-records.ts'
import { isJsonObject, type JsonObject, type JsonValue, parseExactJson } from '../src/core/json.ts'
import { median } from './processes.ts'
import type { Row } from './table.ts'

const ROUNDS = 7
const PAGE = 100

/**
 * Records of a page become crm's own: parsing, the list, repeated records and one line of JSON for each are part of both
 * sides, the connection and the disk of neither.
 */
export async function measureConnectorMap(count: number): Promise<Row[]> {
  return [
    compare(`contacts of pipedrive, ${count.toLocaleString('en')}`, 'pipedrive', pages(count, pipedrivePerson)),
    compare(`contacts of attio, ${count.toLocaleString('en')}`, 'attio', pages(count, attioPerson)),
  ]
}

function compare(what: string, connector: string, texts: readonly string[]): Row {
  const described = shippedConnector(connector).resources.contact
  if (!described) throw new Error(`${connector} has no contacts`)
  const map = createRecordMap(described, { connector, resource: 'contact' })
  const same = (record: JsonObject) => record
  const tookMs = { mapped: [] as number[], unmapped: [] as number[] }
  for (let round = 0; round < ROUNDS; round++) {
    tookMs.unmapped.push(walkMs(texts, same))
    tookMs.mapped.push(walkMs(texts, (record) => map.read(record)))
  }
  const [mapped, unmapped] = [median(tookMs.mapped), median(tookMs.unmapped)]
  return {
    what,
    measured: `${mapped.toFixed(0)} ms mapped`,
    peer: `${unmapped.toFixed(0)} ms unmapped`,
    ratio: mapped / unmapped,
    goal: { atMost: 1.3 },
  }
}

function walkMs(texts: readonly string[], read: (record: JsonObject) => JsonObject): number {
  const items = compilePath('data[]')
  const seen = new SeenRecords()
  let chars = 0
  const startedMs = performance.now()
  for (const text of texts) {
    const records = (readEach(items, parseExactJson(text)) ?? []).flatMap(({ value }) =>
      isJsonObject(value) ? [read(value)] : [],
    )
    const added = seen.without(records)
    seen.add(added)
    for (const record of added) chars += JSON.stringify(record).length
  }
  if (chars === 0) throw new Error('nothing was listed')
  return performance.now() - startedMs
}

function pages(count: number, recordAt: (at: number) => JsonValue): readonly string[] {
  return Array.from({ length: count / PAGE }, (_, page) =>
    JSON.stringify({ success: true, data: Array.from({ length: PAGE }, (__, at) => recordAt(page * PAGE + at)) }),
  )
}

const TIME = '2026-03-01T09:30:00Z'

function pipedrivePerson(at: number): JsonValue {
  return {
    id: at,
    name: `Ada Lovelace ${at}`,
    first_name: 'Ada',
    last_name: `Lovelace ${at}`,
    owner_id: at % 40,
    org_id: at % 977,
    add_time: TIME,
    update_time: TIME,
    emails: [{ value: `ada${at}@engines.example`, primary: true, label: 'work' }],
    phones: [{ value: `+49 151 ${at}`, primary: true, label: 'work' }],
    is_deleted: false,
    visible_to: 3,
    label_ids: [1, 2],
    picture_id: null,
    notes: null,
    birthday: null,
    job_title: 'Engineer',
    custom_fields: {
      '0123456789abcdef0123456789abcdef01234567': `Value ${at}`,
      '1123456789abcdef0123456789abcdef01234567': at,
      '2123456789abcdef0123456789abcdef01234567': null,
    },
  }
}

function attioPerson(at: number): JsonValue {
  const by = { active_from: TIME, active_until: null, created_by_actor: { type: 'api-token', id: 't1' } }
  const email = `ada${at}@engines.example`
  return {
    id: { workspace_id: 'w1', object_id: 'o1', record_id: `r${at}` },
    created_at: TIME,
    values: {
      name: [
        {
          ...by,
          first_name: 'Ada',
          last_name: `Lovelace ${at}`,
          full_name: `Ada Lovelace ${at}`,
          attribute_type: 'personal-name',
        },
      ],
      email_addresses: [
        { ...by, email_address: email, email_domain: 'engines.example', attribute_type: 'email-address' },
      ],
      phone_numbers: [{ ...by, phone_number: `+49151${at}`, country_code: 'DE', attribute_type: 'phone-number' }],
      job_title: [{ ...by, value: 'Engineer', attribute_type: 'text' }],
      description: [],
    },
  }
}
