import type { CrmRecord } from '../../core/resources/registry.ts'
import { safeText } from '../../output/safe-text.ts'
import { resendCommand } from '../background/webhook-row.ts'
import { rowId } from '../list/list-state.ts'
import { missing } from './command-text.ts'
import { isConfirmed } from './confirm.ts'
import { rowsOf } from './numbers.ts'
import type { Plain, PlainCommand, PlainScreen } from './plain.ts'

const WEBHOOKS: readonly PlainScreen[] = ['webhooks']

export const WEBHOOK_COMMANDS: readonly PlainCommand[] = [
  { word: 'enable', usage: 'NUMBER', title: 'enable a subscription', screens: WEBHOOKS, run: setStatus('enabled') },
  { word: 'disable', usage: 'NUMBER', title: 'disable a subscription', screens: WEBHOOKS, run: setStatus('disabled') },
  { word: 'test', usage: 'NUMBER', title: 'have the server send a test event', screens: WEBHOOKS, run: test },
  {
    word: 'resend',
    usage: 'NUMBER',
    title: 'have the server send failed events again',
    screens: WEBHOOKS,
    run: resend,
  },
  { word: 'rotate', usage: 'NUMBER', title: 'make a new secret, said once', screens: WEBHOOKS, run: rotate },
  { word: 'delete', usage: 'NUMBERS', title: 'delete subscriptions for good', screens: WEBHOOKS, run: remove },
]

function rowOf({ listing }: Plain, number: string, usage: string): CrmRecord {
  const [row, other] = rowsOf(number, listing)
  if (!row || other) throw missing(usage)
  return row
}

function nameOf(row: CrmRecord): string {
  return safeText(`${rowId(row) ?? 'it'} (${String(row.url ?? '')})`)
}

/** Asks `Disable wh_1 (https://app.test) on prod?` */
function isAgreed(plain: Plain, what: string, count: number): Promise<boolean> {
  const title = `${what} on ${plain.store.get().place.text}?`
  return isConfirmed(plain, { title, diff: [], lines: [], count })
}

function setStatus(status: 'enabled' | 'disabled'): PlainCommand['run'] {
  const verb = status === 'enabled' ? 'Enable' : 'Disable'
  return async (plain, rest) => {
    const row = rowOf(plain, rest, `${verb.toLowerCase()} NUMBER`)
    if (await isAgreed(plain, `${verb} ${nameOf(row)}`, 1)) await plain.background.webhooks.setStatus(row, status)
  }
}

async function test(plain: Plain, rest: string): Promise<void> {
  const row = rowOf(plain, rest, 'test NUMBER')
  if (await isAgreed(plain, `Send a test event to ${nameOf(row)}`, 1)) await plain.background.webhooks.test(row)
}

async function resend(plain: Plain, rest: string): Promise<void> {
  const row = rowOf(plain, rest, 'resend NUMBER')
  const count = Number(row.failing ?? 0)
  const all = resendCommand(row)
  const older = all === undefined ? '' : `; older ones: ${all}`
  if (count === 0) return plain.say(`No failed delivery of ${nameOf(row)} is known${older}.`)
  const what = `Send ${count === 1 ? 'the failed event' : `${count} failed events`} to ${nameOf(row)} again`
  if (await isAgreed(plain, what, count)) await plain.background.webhooks.resend(row)
}

async function rotate(plain: Plain, rest: string): Promise<void> {
  const row = rowOf(plain, rest, 'rotate NUMBER')
  if (!(await isAgreed(plain, `Make a new secret for ${nameOf(row)}`, 1))) return
  const secret = await plain.background.webhooks.rotate(row)
  if (secret !== undefined) plain.say(`The new secret, which is said only now: ${safeText(secret)}`)
}

async function remove(plain: Plain, rest: string): Promise<void> {
  const rows = rowsOf(rest, plain.listing)
  const what = rows.length === 1 && rows[0] ? nameOf(rows[0]) : `${rows.length} subscriptions`
  if (await isAgreed(plain, `Delete ${what} for good`, rows.length)) await plain.background.webhooks.remove(rows)
}
