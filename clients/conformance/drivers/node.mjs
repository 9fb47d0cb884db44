import process from 'node:process'
import { createInterface } from 'node:readline'
import { inspect } from 'node:util'
import { CrmError, createClient, SignatureError, verifyWebhook } from '../../../dist/index.js'

/** The driver of the Node.js library. */
let client
let options = {}

const CALLS = {
  'client.show': () => [String(client), inspect(client, { depth: 9, showHidden: true }), JSON.stringify(client)],
  list: (list, { take, cursor, limit, filters, parent }) =>
    taken(list(...(parent ? [parent] : []), defined({ cursor, limit, filters })), take),
  create: (create, { fields, parent, ...rest }) => create(...(parent ? [parent] : []), fields, writeOptions(rest)),
  get: (get, { id }) => get(id),
  update: (update, { id, fields, ...rest }) => update(id, fields, writeOptions(rest)),
  delete: async (remove, { id, ifMatch }) => {
    await remove(id, defined({ ifMatch }))
    return null
  },
  test: (test, { id }) => test(id),
  verify: (verify, { body, headers, secrets, now }) =>
    verify(Buffer.from(body, 'base64'), headers, secrets, now === undefined ? {} : { nowMs: now * 1000 }),
}

async function taken(records, most = Number.POSITIVE_INFINITY) {
  const all = []
  for await (const record of records) {
    all.push(record)
    if (all.length >= most) break
  }
  return all
}

function defined(given) {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

function writeOptions({ idempotencyKey, ifMatch }) {
  return defined({ idempotencyKey, ifMatch })
}

function open({ pageSize, ...given }) {
  options = given
  client = createClient({ ...options, pageSize })
  return null
}

function methodOf(call, noun) {
  if (call === 'webhooks.verify') return verifyWebhook
  const [group, name] = call.split('.')
  return (group === 'records' ? client?.records(noun) : client?.[group])?.[name]
}

async function run({ do: action, call, with: given = {} }) {
  if (action === 'open') return { value: open(given) }
  if (action === 'close') {
    await client?.close()
    client = undefined
    return { value: null }
  }
  if (call === 'client.show') return { value: CALLS[call]() }
  const method = methodOf(call, given.noun)
  const operation = CALLS[call.split('.')[1]]
  if (!method || !operation) return { isLacking: true }
  return { value: await operation(method, given) }
}

function errorOf(error) {
  if (error instanceof SignatureError) {
    const { code, message, reason } = error
    return { code, message, reason }
  }
  if (!(error instanceof CrmError)) return { code: 'bug', message: inspect(error) }
  const { code, message, details } = error
  const { status, serverCode, requestId, isRetryable, isInDoubt, idempotencyKey, retryAfterMs, fields } = details
  const shown = [String(error), inspect(error, { depth: 9 }), error.stack].join('\n')
  process.stderr.write(`${shown}\n`)
  return {
    ...{ code, message, status, serverCode, requestId, isRetryable, isInDoubt, idempotencyKey, retryAfterMs, fields },
  }
}

function exact(_, value, { source }) {
  return typeof value === 'number' && String(value) !== source ? JSON.rawJSON(source) : value
}

for await (const line of createInterface({ input: process.stdin })) {
  const step = JSON.parse(line, exact)
  const reply = await run(step).catch((error) => ({ error: errorOf(error) }))
  process.stdout.write(`${JSON.stringify({ id: step.id, ...reply })}\n`)
}
