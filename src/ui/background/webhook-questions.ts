import type { CrmRecord } from '../../core/resources/registry.ts'
import { safeText } from '../../output/safe-text.ts'
import { rowId } from '../list/list-state.ts'
import { resendCommand } from './webhook-row.ts'
import type { Webhooks } from './webhooks.ts'

/** What is asked before something is done with subscriptions, on the screens and in lines. */
export interface WebhookQuestion {
  /** Without the place and the question mark. */
  readonly title: string
  readonly lines: readonly string[]
  readonly verb: string
  readonly count: number
  /** The text to show once, if there is one. */
  readonly send: (webhooks: Webhooks) => Promise<string | undefined>
}

export function webhookName({ id, url }: CrmRecord): string {
  return safeText(`${rowId({ id: id ?? null }) ?? 'it'} (${String(url ?? '').slice(0, 60)})`)
}

/** Disables it, or enables it again. */
export function statusQuestion(row: CrmRecord, status: 'enabled' | 'disabled'): WebhookQuestion {
  const verb = status === 'enabled' ? 'Enable' : 'Disable'
  const line =
    status === 'enabled'
      ? 'Events from now on are sent to it; those of the time in between are not.'
      : 'The server sends it no events until it is enabled again; they are not sent later.'
  const send = without((webhooks) => webhooks.setStatus(row, status))
  return { title: `${verb} ${webhookName(row)}`, lines: [line], verb, count: 1, send }
}

export function testQuestion(row: CrmRecord): WebhookQuestion {
  return {
    title: `Send a test event to ${webhookName(row)}`,
    lines: ['The server sends it, to this subscription alone.'],
    ...{ verb: 'Send', count: 1, send: without((webhooks) => webhooks.test(row)) },
  }
}

export function resendQuestion(row: CrmRecord): WebhookQuestion {
  const count = Number(row.failing)
  const all = resendCommand(row)
  return {
    title: `Send ${count === 1 ? 'the failed event' : `${count} failed events`} to ${webhookName(row)} again`,
    lines: [
      `${count} of its newest ${String(row.looked_at)} deliveries failed; their attempts begin anew.`,
      ...(all === undefined ? [] : [`Older ones are not looked at; all that failed: ${all}`]),
      'The server sends the events to this subscription alone.',
    ],
    ...{ verb: 'Send', count, send: without((webhooks) => webhooks.resend(row)) },
  }
}

export function rotationQuestion(row: CrmRecord): WebhookQuestion {
  return {
    title: `Make a new secret for ${webhookName(row)}`,
    lines: [
      'It is shown once, and cannot be shown again. Receivers need it when the server no longer signs with the old one;',
      'crm serve signs with both for a day.',
    ],
    ...{ verb: 'Make it', count: 1, send: (webhooks) => webhooks.rotate(row) },
  }
}

export function removalQuestion(rows: readonly CrmRecord[]): WebhookQuestion {
  const [only, ...others] = rows
  return {
    title: `Delete ${only && others.length === 0 ? webhookName(only) : `${rows.length} subscriptions`}`,
    lines: ['At once and for good, with its secret and its deliveries.'],
    ...{ verb: 'Delete', count: rows.length, send: without((webhooks) => webhooks.remove(rows)) },
  }
}

function without(work: (webhooks: Webhooks) => Promise<unknown>): WebhookQuestion['send'] {
  return async (webhooks) => {
    await work(webhooks)
    return undefined
  }
}
