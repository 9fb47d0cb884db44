import { safeText } from '../../output/safe-text.ts'
import { copyToClipboard } from '../background/clipboard.ts'
import { resendCommand } from '../background/webhook-row.ts'
import { currentRow, rowId } from '../list/list-state.ts'
import { formIn } from '../overlay.ts'
import type { ScreenName } from '../screens.ts'
import { actedOn } from '../selected.ts'
import { showOverlay } from '../show-overlay.ts'
import type { State } from '../state.ts'
import type { Action, Ui } from '../ui.ts'
import { confirmChanges } from './confirm-changes.ts'

const WEBHOOKS: readonly ScreenName[] = ['webhooks']

export const WEBHOOK_ACTIONS: readonly Action[] = [
  {
    id: 'webhook-toggle',
    title: 'Disable the subscription, or enable it again',
    screens: WEBHOOKS,
    keys: ['D'],
    footer: 'enable/disable',
    refusal: withoutRow,
    run: askToggle,
  },
  {
    id: 'webhook-test',
    title: 'Have the server send a test event to the subscription',
    screens: WEBHOOKS,
    keys: ['T'],
    footer: 'test',
    refusal: withoutRow,
    run: askTest,
  },
  {
    id: 'webhook-resend',
    title: 'Have the server send the events again that the subscription did not take',
    screens: WEBHOOKS,
    keys: ['R'],
    footer: 'send again',
    refusal: withoutFailing,
    run: askResend,
  },
  {
    id: 'webhook-rotate',
    title: 'Make a new secret, which is shown once',
    screens: WEBHOOKS,
    keys: ['S'],
    footer: 'new secret',
    refusal: withoutRow,
    run: askRotation,
  },
  {
    id: 'webhook-delete',
    isOfMarks: true,
    title: 'Delete the subscription for good',
    screens: WEBHOOKS,
    keys: ['d'],
    footer: 'delete',
    refusal: withoutRow,
    run: askDeletion,
  },
]

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

interface Question {
  readonly title: string
  readonly lines: readonly string[]
  readonly verb: string
  readonly count: number
  readonly onConfirm: () => void
}

function ask(ui: Ui, { title, ...question }: Question): void {
  const { place } = ui.store.get()
  const where = `${place.isProtected ? 'on the protected' : 'on'} ${place.text}`
  confirmChanges(ui, { ...question, title: `${title} ${where}?` })
}

function askToggle(ui: Ui): void {
  const row = currentRow(ui.store.get().lists.webhooks)
  if (!row) return
  const isDisabled = row.status === 'disabled'
  ask(ui, {
    title: `${isDisabled ? 'Enable' : 'Disable'} ${nameOf(row)}`,
    lines: isDisabled
      ? ['Events from now on are sent to it; those of the time in between are not.']
      : ['The server sends it no events until it is enabled again; they are not sent later.'],
    verb: isDisabled ? 'Enable' : 'Disable',
    count: 1,
    onConfirm: () => void ui.background.webhooks.setStatus(row, isDisabled ? 'enabled' : 'disabled'),
  })
}

function askTest(ui: Ui): void {
  const row = currentRow(ui.store.get().lists.webhooks)
  if (!row) return
  ask(ui, {
    title: `Send a test event to ${nameOf(row)}`,
    lines: ['The server sends it, to this subscription alone.'],
    verb: 'Send',
    count: 1,
    onConfirm: () => void ui.background.webhooks.test(row),
  })
}

function askResend(ui: Ui): void {
  const row = currentRow(ui.store.get().lists.webhooks)
  if (!row) return
  const count = Number(row.failing)
  const all = resendCommand(row)
  ask(ui, {
    title: `Send ${count === 1 ? 'the failed event' : `${count} failed events`} to ${nameOf(row)} again`,
    lines: [
      `${count} of its newest ${String(row.looked_at)} deliveries failed; their attempts begin anew.`,
      ...(all === undefined ? [] : [`Older ones are not looked at; all that failed: ${all}`]),
      'The server sends the events to this subscription alone.',
    ],
    verb: 'Send',
    count,
    onConfirm: () => void ui.background.webhooks.resend(row),
  })
}

function askRotation(ui: Ui): void {
  const row = currentRow(ui.store.get().lists.webhooks)
  if (!row) return
  const rotate = async () => {
    const secret = await ui.background.webhooks.rotate(row)
    if (secret !== undefined) showSecret(ui, nameOf(row), secret)
  }
  ask(ui, {
    title: `Make a new secret for ${nameOf(row)}`,
    lines: [
      'It is shown once, and cannot be shown again. Receivers need it when the server no longer signs with the old one;',
      'crm serve signs with both for a day.',
    ],
    verb: 'Make it',
    count: 1,
    onConfirm: () => void rotate(),
  })
}

const COPY = 'Copy it to the clipboard of the terminal, and close'

/** The only place that shows it: no message, no file, and not the log. */
function showSecret(ui: Ui, name: string, secret: string): void {
  const { world, background } = ui
  showOverlay(ui, {
    behind: formIn(ui.store.get().overlay),
    type: 'choice',
    title: `New secret of ${name}, shown only now`,
    lines: [safeText(secret), 'crm does not keep it.'],
    options: ['Close', COPY],
    index: 0,
    onChoose: (option) => {
      if (option !== COPY) return
      void copyToClipboard(secret, world.env, world.writeRaw).then((to) => {
        if (to === 'tmux') background.notices.done('Copied the secret to tmux, and to the clipboard where tmux sets it')
        else
          background.notices.wait(
            'Sent the secret to the terminal to copy (OSC 52); terminals do not say whether they did',
          )
      })
    },
  })
}

function askDeletion(ui: Ui): void {
  const rows = actedOn(ui.store.get(), ui.boards)
  const what = rows.length === 1 && rows[0] ? nameOf(rows[0]) : `${rows.length} subscriptions`
  ask(ui, {
    title: `Delete ${what}`,
    lines: ['At once and for good, with its secret and its deliveries.'],
    verb: 'Delete',
    count: rows.length,
    onConfirm: () => void ui.background.webhooks.remove(rows),
  })
}

function nameOf({ id, url }: NonNullable<ReturnType<typeof currentRow>>): string {
  return safeText(`${rowId({ id: id ?? null }) ?? 'it'} (${String(url ?? '').slice(0, 60)})`)
}
