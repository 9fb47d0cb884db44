import { setTimeout } from 'node:timers/promises'
import { type Entry, type Kind, PLURALS } from './ledger.ts'
import { type Answer, insist, type Request, type Sending } from './requests.ts'

/** Of the writes that got no answer, so many are not sent again. */
const GIVEN_UP = 0.1

/** Records that a client works on; beyond it forgets the oldest, which stay as they are. */
const MOST_OWN = 40

/** Makes, changes, deletes and reads records of its own, each request to any process, until it is told to stop. */
export async function runClient(sending: Sending, name: string, isStopping: () => boolean): Promise<void> {
  const own: Entry[] = []
  let step = 0
  while (!isStopping()) {
    step++
    const marker = `${name}-${step}`
    const entry = await act(sending, own, marker)
    if (entry) own.push(entry)
    if (own.length > MOST_OWN) own.shift()
    await setTimeout(sending.random.between(0, 20))
  }
}

async function act(sending: Sending, own: Entry[], marker: string): Promise<Entry | undefined> {
  const { random } = sending
  const usable = own.filter(({ deleteAtMs, doubtful }) => deleteAtMs === undefined && doubtful === undefined)
  const entry = usable.length > 0 ? random.pick(usable) : undefined
  const turn = random.between(0, 99)
  if (!entry || turn < 40) return make(sending, random.pick(['contact', 'contact', 'deal'] as const), marker)
  if (entry.kind === 'deal' && turn < 55) return make(sending, 'note', marker, entry)
  if (turn < 72 && entry.kind !== 'note') await update(sending, entry, marker)
  else if (turn < 85) await remove(sending, entry)
  else if (entry.kind !== 'note') await read(sending, entry)
  return undefined
}

const CREATE = 'mutation ($json: JSON) { createContact(input: {json: $json}) { contact { json } } }'
const UPDATE = 'mutation ($id: ID!, $json: JSON) { updateDeal(input: {id: $id, json: $json}) { deal { json } } }'

async function make(sending: Sending, kind: Kind, marker: string, deal?: Entry): Promise<Entry | undefined> {
  const { ledger, random } = sending
  const entry = ledger.add(kind, marker, deal)
  const body = { ...bodyOf(kind, marker), n: 0 }
  const isGraphql = kind === 'contact' && random.chance(0.2)
  const path = deal ? `/v1/deals/${deal.id}/notes` : `/v1/${PLURALS[kind]}`
  const request = isGraphql
    ? { method: 'POST', path: '/v1/graphql', body: { query: CREATE, variables: { json: body } }, key: marker }
    : { method: 'POST', path, body, key: marker }
  const answer = await insist(sending, request, GIVEN_UP)
  if (!answer) return undefined
  const record = isGraphql
    ? recordIn(answer, 'createContact', 'contact')
    : answer.status === 201
      ? answer.body
      : undefined
  if (!record) {
    ledger.fault(`create ${marker}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return undefined
  }
  if (record.version !== 1) ledger.fault(`create ${marker}: version ${record.version}`)
  entry.id = String(record.id)
  entry.madeAtMs = performance.now()
  ledger.counts.acknowledged++
  return entry
}

function bodyOf(kind: Kind, marker: string) {
  if (kind === 'contact') return { name: marker }
  return kind === 'deal' ? { name: marker, stage: 'Lead' } : { body: marker }
}

function recordIn({ body }: Answer, mutation: string, kind: string): Record<string, unknown> | undefined {
  const data = body.data as Record<string, Record<string, { json: unknown } | null> | null> | undefined
  const json = data?.[mutation]?.[kind]?.json
  return typeof json === 'string' ? JSON.parse(json) : (json as Record<string, unknown> | undefined)
}

async function update(sending: Sending, entry: Entry, marker: string): Promise<void> {
  const { ledger, random } = sending
  const value = entry.value + 1
  const isGraphql = entry.kind === 'deal' && random.chance(0.3)
  const request: Request = isGraphql
    ? {
        method: 'POST',
        path: '/v1/graphql',
        body: { query: UPDATE, variables: { id: entry.id, json: { n: value } } },
        key: marker,
      }
    : { method: 'PATCH', path: pathOf(entry), body: { n: value }, key: marker }
  const answer = await insist(sending, request, GIVEN_UP)
  if (!answer) {
    entry.doubtful = value
    return
  }
  const record = isGraphql ? recordIn(answer, 'updateDeal', 'deal') : answer.body
  if (answer.status !== 200 || record?.n !== value || record.version !== entry.version + 1) {
    ledger.fault(
      `update ${entry.id} to ${value}, version ${entry.version + 1}: ${answer.status} ${JSON.stringify(answer.body)}`,
    )
    return
  }
  entry.value = value
  entry.version++
  ledger.counts.acknowledged++
}

/** A DELETE has no key: 404 after an attempt without an answer means that the attempt took effect. */
async function remove(sending: Sending, entry: Entry): Promise<void> {
  const { ledger } = sending
  entry.deleteAtMs = performance.now()
  const answer = await insist(sending, { method: 'DELETE', path: pathOf(entry) }, GIVEN_UP)
  if (!answer) return
  const isDone = answer.status === 204 || (answer.status === 404 && answer.isRepeated) || isGoneWithDeal(entry, answer)
  if (!isDone) ledger.fault(`delete ${entry.id}: ${answer.status} ${JSON.stringify(answer.body)}`)
  entry.isDeleted = isDone
  ledger.counts.acknowledged++
}

function isGoneWithDeal({ deal }: Entry, { status }: Answer): boolean {
  return status === 404 && deal?.deleteAtMs !== undefined
}

/** On any process, a record has its last acknowledged content. */
async function read(sending: Sending, entry: Entry): Promise<void> {
  const { ledger } = sending
  const answer = await insist(sending, { method: 'GET', path: pathOf(entry) })
  ledger.counts.reads++
  if (!answer) return
  const { status, body } = answer
  if (status === 200 && body.n === entry.value && body.version === entry.version) return
  ledger.fault(
    `read ${entry.id}, expected n ${entry.value}, version ${entry.version}: ${status} ${JSON.stringify(body)}`,
  )
}

function pathOf({ kind, id }: Entry): string {
  return `/v1/${PLURALS[kind]}/${id}`
}
