import type { Api } from '../../api/api.ts'
import { CrmError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { shellWord } from '../../core/shell-words.ts'
import { isFailing } from '../../core/webhook-events.ts'
import { removeRows, rowId, rowVersion } from '../list/list-state.ts'
import { withRows } from '../screens/all-screens.tsx'
import { type State, withList } from '../state.ts'
import { targetWord } from './done-commands.ts'
import type { Parts } from './parts.ts'

export type NewestDeliveries = { readonly items: readonly JsonObject[]; readonly hasOlder: boolean }

function webhookRow(webhook: CrmRecord): CrmRecord {
  // No server should show it, and no screen does.
  const { secret: _, ...row } = webhook
  const { events } = row
  const isNames = Array.isArray(events) && events.every((each) => typeof each === 'string')
  return { ...row, events: isNames ? events.join(', ') : (events ?? null) }
}

const LAST = ['id', 'created_at', 'updated_at', 'version']

export function withDeliveries(row: CrmRecord, { items: deliveries, hasOlder }: NewestDeliveries): CrmRecord {
  const [last] = deliveries
  const { id, created_at, updated_at, version, ...members } = row
  return {
    ...members,
    last: last ? resultText(last) : 'none',
    last_at: last?.last_try_at ?? null,
    attempts: last?.attempts ?? null,
    failing: deliveries.filter(isFailing).length,
    looked_at: deliveries.length,
    ...Object.fromEntries(deliveries.map((each, at) => [`delivery ${at + 1}`, deliveryText(each)])),
    ...(hasOlder && { older: `newest ${deliveries.length}; more: crm webhooks deliveries ${shellWord(String(id))}` }),
    ...Object.fromEntries(LAST.flatMap((name) => (row[name] === undefined ? [] : [[name, row[name]]]))),
  }
}

/** `200`, `503 failed`, `no answer pending`. */
function resultText({ last_status: status, last_error: error, state }: JsonObject): string {
  const word = String(state ?? '')
  const result = typeof status === 'number' ? String(status) : error ? 'no answer' : ''
  return word === 'succeeded' ? result || word : [result, word].filter((part) => part !== '').join(' ')
}

function deliveryText(delivery: JsonObject): string {
  const { attempts, kind, event_id: event, last_try_at: tried, next_try_at: next, last_error: error } = delivery
  const count = typeof attempts === 'number' ? `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}` : undefined
  const parts = [resultText(delivery), count, kind, event, tried, next ? `again ${String(next)}` : undefined, error]
  return parts.filter((part) => typeof part === 'string' && part !== '').join(' · ')
}

/** What sends all failed events of a subscription again; undefined if the row has all its deliveries. */
export function resendCommand({ id, older }: CrmRecord): string | undefined {
  return older === undefined ? undefined : `crm webhooks resend ${shellWord(String(id))} --failed`
}

export type Webhooks = ReturnType<typeof createWebhooks>

/** `crm webhooks list` prints more. */
const MOST_WEBHOOKS = 500
/** Of each subscription; `crm webhooks deliveries` prints more. */
const NEWEST = 10

function createLook({ store, openApi, notices, signal }: Parts) {
  const change = (part: Partial<State['webhooks']>) =>
    store.update((state) => ({ ...state, webhooks: { ...state.webhooks, ...part } }))

  const show = (items: readonly CrmRecord[], isOpen: boolean) =>
    store.update((state) => withRows(state, 'webhooks', items, isOpen))

  async function look(): Promise<void> {
    try {
      const { rows, isOpen } = await subscriptions(await openApi())
      change({ lack: undefined })
      show(rows, isOpen)
      if (rows.length > 0) await showDeliveries(rows, isOpen)
    } catch (error) {
      if (!(error instanceof CrmError)) throw error
      if (error.code !== 'not_supported') return notices.problem(error, '', 'webhooks')
      change({ lack: error.message })
      show([], false)
    }
  }

  async function subscriptions(api: Api): Promise<{ rows: readonly CrmRecord[]; isOpen: boolean }> {
    const rows: CrmRecord[] = []
    let isOpen = false
    for await (const page of api.webhooks.list({ limit: MOST_WEBHOOKS, signal })) {
      rows.push(...page.items.map(webhookRow))
      isOpen = page.isCut === true || page.nextCursor !== undefined || page.rest !== undefined
    }
    return { rows, isOpen }
  }

  async function showDeliveries(rows: readonly CrmRecord[], isOpen: boolean): Promise<void> {
    try {
      const { subscriptions } = await openApi()
      const shown: CrmRecord[] = []
      for (const row of rows) shown.push(withDeliveries(row, await newestDeliveries(subscriptions, row, signal)))
      change({ deliveriesLack: undefined })
      show(shown, isOpen)
    } catch (error) {
      if (!(error instanceof CrmError)) throw error
      if (error.code !== 'not_supported') return notices.problem(error, 'Deliveries are not shown: ', 'webhooks')
      change({ deliveriesLack: error.message })
    }
  }

  return look
}

function createAttempt({ openApi, notices, underWay }: Parts) {
  return <Result>(what: string, work: (api: Api) => Promise<Result>) =>
    notices.attempt(`${what}: `, () => underWay.track(what, async () => work(await openApi())))
}

function optionsOf(late: AbortSignal) {
  return { idempotencyKey: undefined, isLetFinish: true, signal: late }
}

/** The new subscription, with the secret that the server gave; undefined after a failure, which is shown. */
function creating(parts: Parts, look: () => Promise<void>) {
  const { commands, notices, late } = parts
  const attempt = createAttempt(parts)
  return async (url: string, events: readonly string[]): Promise<CrmRecord | undefined> => {
    const made = await attempt(`the subscription of ${url}`, (api) =>
      api.webhooks.create({ url, events: [...events] }, optionsOf(late)),
    )
    if (!made) return undefined
    commands.add(['webhooks', 'create', '--url', targetWord(url), '--events', events.join(',')])
    notices.done(`Subscribed ${url} as ${rowId(made) ?? ''}`)
    await look()
    return made
  }
}

export function createWebhooks(parts: Parts) {
  const { store, notices, commands, late } = parts
  const look = createLook(parts)
  const options = optionsOf(late)
  const attempt = createAttempt(parts)
  return {
    look,
    create: creating(parts, look),
    setStatus: async (row: CrmRecord, status: 'enabled' | 'disabled'): Promise<void> => {
      const id = rowId(row) ?? ''
      const changed = await attempt(`the change of ${id}`, (api) =>
        api.webhooks.update(id, { status }, { ...options, ifMatch: rowVersion(row) }),
      )
      if (!changed) return
      commands.add(['webhooks', 'update', id, '--status', status])
      notices.done(`${id} is ${String(changed.status ?? status)}`)
      await look()
    },
    test: async (row: CrmRecord): Promise<void> => {
      const id = rowId(row) ?? ''
      const sent = await attempt(`the test of ${id}`, (api) => api.webhooks.test(id, options))
      if (!sent) return
      commands.add(['webhooks', 'test', id])
      const event = typeof sent.event_id === 'string' ? `, event ${sent.event_id}` : ''
      notices.done(`The server sends a test event to ${id}${event}; r shows its delivery`)
      await look()
    },
    /** Has the server send the events again whose last attempt failed, of the newest deliveries. */
    resend: async (row: CrmRecord): Promise<void> => {
      const id = rowId(row) ?? ''
      const sent: string[] = []
      await attempt(`the deliveries of ${id}`, async ({ subscriptions }) => {
        const { items } = await newestDeliveries(subscriptions, row, late)
        for (const { event_id: eventId } of items.filter(isFailing)) {
          if (typeof eventId !== 'string') continue
          await subscriptions.resend({ webhookId: id, eventId }, options)
          sent.push(eventId)
          commands.add(['webhooks', 'resend', id, eventId])
        }
      })
      if (sent.length > 0) notices.done(resentText(row, sent))
      await look()
    },
    /** The new secret; undefined if there is none, which is shown. It is in no message, and kept nowhere. */
    rotate: async (row: CrmRecord): Promise<string | undefined> => {
      const id = rowId(row) ?? ''
      const secret = await attempt(`the new secret of ${id}`, (api) => api.subscriptions.rotate(id, options))
      if (secret !== undefined) await look()
      return secret
    },
    remove: async (rows: readonly CrmRecord[]): Promise<void> => {
      const gone: string[] = []
      for (const row of rows) {
        const id = rowId(row)
        if (id === undefined) continue
        const isGone = await attempt(`the deletion of ${id}`, async (api) => {
          await api.webhooks.delete(id, { ...options, ifMatch: undefined })
          return true
        })
        if (!isGone) break
        gone.push(id)
        commands.add(['webhooks', 'delete', id, '--yes'])
      }
      store.update((state) => withList(state, 'webhooks', (list) => removeRows(list, gone)))
      if (gone.length > 0) notices.done(`Deleted ${gone.length === 1 ? gone[0] : `${gone.length} subscriptions`}`)
    },
  }
}

async function newestDeliveries({ deliveries }: Api['subscriptions'], row: CrmRecord, signal: AbortSignal) {
  const items: CrmRecord[] = []
  let hasOlder = false
  for await (const page of deliveries(rowId(row) ?? '', { limit: NEWEST, signal })) {
    items.push(...page.items)
    hasOlder = page.isCut === true || page.nextCursor !== undefined
  }
  return { items, hasOlder }
}

function resentText(row: CrmRecord, sent: readonly string[]): string {
  const events = sent.length === 1 ? `event ${sent[0]}` : `${sent.length} events`
  const all = resendCommand(row)
  const rest = all === undefined ? 'r shows the deliveries' : `older ones that failed: ${all}`
  return `The server sends ${events} to ${rowId(row) ?? ''} again; ${rest}`
}
