import type { CrmRecord } from '../../core/resources/registry.ts'
import { eventPatterns } from '../../core/webhook-events.ts'
import { safeText } from '../../output/safe-text.ts'
import { resendCommand, type Webhooks } from '../background/webhooks.ts'
import { actedOn } from '../board.ts'
import { currentRow, rowId } from '../list/list-state.ts'
import { formIn } from '../overlay.ts'
import type { ScreenName } from '../screens.ts'
import { askLine, type State, showOverlay } from '../state.ts'
import type { Action, Ui } from '../ui.ts'
import { action, onScreens } from '../ui.ts'
import { confirmChanges } from './ask-changes.ts'
import { copyText } from './copy-export.ts'

interface WebhookQuestion {
  /** Without the place and the question mark. */
  readonly title: string
  readonly lines: readonly string[]
  readonly verb: string
  /** Undefined: 1. */
  readonly count?: number
  /** The text to show once, if there is one. */
  readonly send: (webhooks: Webhooks) => Promise<unknown>
}

function webhookName({ id, url }: CrmRecord): string {
  return safeText(`${rowId({ id: id ?? null }) ?? 'it'} (${String(url ?? '').slice(0, 60)})`)
}

function statusQuestion(row: CrmRecord): WebhookQuestion {
  const [status, verb, line] =
    row.status === 'disabled'
      ? (['enabled', 'Enable', 'Events from now on are sent to it; those of the time in between are not.'] as const)
      : ([
          'disabled',
          'Disable',
          'The server sends it no events until it is enabled again; they are not sent later.',
        ] as const)
  return {
    title: `${verb} ${webhookName(row)}`,
    lines: [line],
    verb,
    send: (webhooks) => webhooks.setStatus(row, status),
  }
}

function testQuestion(row: CrmRecord): WebhookQuestion {
  return {
    title: `Send a test event to ${webhookName(row)}`,
    lines: ['The server sends it, to this subscription alone.'],
    ...{ verb: 'Send', send: (webhooks) => webhooks.test(row) },
  }
}

function resendQuestion(row: CrmRecord): WebhookQuestion {
  const count = Number(row.failing)
  const all = resendCommand(row)
  return {
    title: `Send ${count === 1 ? 'the failed event' : `${count} failed events`} to ${webhookName(row)} again`,
    lines: [
      `${count} of its newest ${String(row.looked_at)} deliveries failed; their attempts begin anew.`,
      ...(all === undefined ? [] : [`Older ones are not looked at; all that failed: ${all}`]),
      'The server sends the events to this subscription alone.',
    ],
    ...{ verb: 'Send', count, send: (webhooks) => webhooks.resend(row) },
  }
}

function rotationQuestion(row: CrmRecord): WebhookQuestion {
  return {
    title: `Make a new secret for ${webhookName(row)}`,
    lines: [
      'It is shown once, and cannot be shown again. Receivers need it when the server no longer signs with the old one;',
      'crm serve signs with both for a day.',
    ],
    ...{ verb: 'Make it', send: (webhooks) => webhooks.rotate(row) },
  }
}

function removalQuestion(rows: readonly CrmRecord[]): WebhookQuestion {
  const [only, ...others] = rows
  return {
    title: `Delete ${only && others.length === 0 ? webhookName(only) : `${rows.length} subscriptions`}`,
    lines: ['At once and for good, with its secret and its deliveries.'],
    ...{ verb: 'Delete', count: rows.length, send: (webhooks) => webhooks.remove(rows) },
  }
}

const WEBHOOKS: readonly ScreenName[] = ['webhooks']

export const WEBHOOK_ACTIONS: readonly Action[] = onScreens(WEBHOOKS, [
  action('webhook-create', 'n', 'Subscribe an address to events', {
    footer: 'new',
    refusal: ({ webhooks }) => webhooks.lack,
    run: (ui) => askWebhook(ui, ''),
  }),
  action(
    'webhook-toggle',
    'D',
    'Disable the subscription, or enable it again',
    asking('enable/disable', statusQuestion),
  ),
  action('webhook-test', 'T', 'Have the server send a test event to the subscription', asking('test', testQuestion)),
  action('webhook-resend', 'R', 'Have the server send the events again that the subscription did not take', {
    ...asking('send again', resendQuestion),
    refusal: withoutFailing,
  }),
  action('webhook-rotate', 'S', 'Make a new secret, which is shown once', asking('new secret', rotationQuestion)),
  action('webhook-delete', 'd', 'Delete the subscription for good', {
    ...asking('delete', (_, rows) => removalQuestion(rows)),
    isOfMarks: true,
  }),
])

const WEBHOOK_LINE = /^\s*(\S+)\s+(\S.*?)\s*$/

/** The address and the events in one line; Tab completes the events. Shown again where the server refuses it. */
function askWebhook(ui: Ui, text: string): void {
  const { place } = ui.store.get()
  const create = async (line: string) => {
    const [, url = '', events = ''] = WEBHOOK_LINE.exec(line) ?? []
    const made = await ui.background.webhooks.create(url, events.split(/[\s,]+/))
    if (typeof made?.secret === 'string') showSecret(ui, webhookName(made), made.secret)
    if (!made && !ui.store.get().overlay) askWebhook(ui, line)
  }
  askLine(ui, {
    ...{ label: `Subscribe at ${place.text}, URL and events:`, text, enter: 'subscribes it' },
    complete: (line) => {
      const [, lead = '', start = ''] = /^(.*[\s,])(\S*)$/s.exec(line.trimStart()) ?? []
      return lead === '' ? [] : eventPatterns().flatMap((each) => (each.startsWith(start) ? [lead + each] : []))
    },
    wordStart: (line) => Math.max(line.lastIndexOf(' '), line.lastIndexOf(',')) + 1,
    refusal: (line) => {
      const [, url = ''] = WEBHOOK_LINE.exec(line) ?? []
      return URL.canParse(url)
        ? undefined
        : 'expected an address and events, such as https://app.example/hook deal.*,contact.created'
    },
    onSubmit: (line) => {
      if (!place.isProtected) return void create(line)
      const title = `Subscribe ${safeText(line)} on the protected ${place.text}?`
      confirmChanges(ui, { title, verb: 'Subscribe', count: 1, onConfirm: () => void create(line) })
    },
  })
}

function withoutRow({ lists, webhooks }: State): string | undefined {
  if (webhooks.lack !== undefined) return webhooks.lack
  return currentRow(lists.webhooks) ? undefined : 'there is no subscription'
}

function withoutFailing(state: State): string | undefined {
  const lack = withoutRow(state) ?? state.webhooks.deliveriesLack
  if (lack !== undefined) return lack
  const row = currentRow(state.lists.webhooks)
  if (!row || Number(row.failing) > 0) return undefined
  const all = resendCommand(row)
  return all === undefined
    ? 'none of its deliveries failed'
    : `none of its newest deliveries failed; older ones: ${all}`
}

function asking(footer: string, questionOf: (row: CrmRecord, rows: readonly CrmRecord[]) => WebhookQuestion) {
  const run = (ui: Ui) => {
    const { lists, place } = ui.store.get()
    const row = currentRow(lists.webhooks)
    if (!row) return
    const { title, send, ...question } = questionOf(row, actedOn(ui.store.get(), ui.boards))
    const confirmed = async () => {
      const secret = await send(ui.background.webhooks)
      if (typeof secret === 'string') showSecret(ui, webhookName(row), secret)
    }
    confirmChanges(ui, {
      ...{ count: 1, ...question, onConfirm: () => void confirmed() },
      title: `${title} ${place.isProtected ? 'on the protected' : 'on'} ${place.text}?`,
    })
  }
  return { footer, run, refusal: withoutRow }
}

const COPY = 'Copy it to the clipboard of the terminal, and close'

/** The only place that shows it: no message, no file, and not the log. */
function showSecret(ui: Ui, name: string, secret: string): void {
  showOverlay(ui, {
    behind: formIn(ui.store.get().overlay),
    type: 'choice',
    title: `New secret of ${name}, shown only now`,
    lines: [safeText(secret), 'crm does not keep it.'],
    options: ['Close', COPY],
    index: 0,
    onChoose: (option) => {
      if (option === COPY) void copyText(ui, secret, 'secret', 'the secret')
    },
  })
}
