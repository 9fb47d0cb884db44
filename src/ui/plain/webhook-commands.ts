import type { CrmRecord } from '../../core/resources/registry.ts'
import { safeText } from '../../output/safe-text.ts'
import {
  removalQuestion,
  resendQuestion,
  rotationQuestion,
  statusQuestion,
  testQuestion,
  type WebhookQuestion,
  webhookName,
} from '../background/webhook-questions.ts'
import { resendCommand } from '../background/webhook-row.ts'
import { missing } from './command-text.ts'
import { isConfirmed } from './confirm.ts'
import { rowsOf } from './numbers.ts'
import type { Plain, PlainCommand } from './plain.ts'

export const WEBHOOK_COMMANDS: readonly PlainCommand[] = [
  ofOne('enable', 'enable a subscription', (row) => statusQuestion(row, 'enabled')),
  ofOne('disable', 'disable a subscription', (row) => statusQuestion(row, 'disabled')),
  ofOne('test', 'have the server send a test event', testQuestion),
  ofOne('resend', 'have the server send failed events again', resendQuestion, noFailures),
  ofOne('rotate', 'make a new secret, said once', rotationQuestion),
  {
    ...{ word: 'delete', usage: 'NUMBERS', title: 'delete subscriptions for good', screens: ['webhooks'] },
    run: (plain, rest) => ask(plain, removalQuestion(rowsOf(rest, plain.listing))),
  },
]

/** Of one row; `refusal` says why it is not asked. */
function ofOne(
  word: string,
  title: string,
  questionOf: (row: CrmRecord) => WebhookQuestion,
  refusal?: (row: CrmRecord) => string | undefined,
): PlainCommand {
  return {
    ...{ word, usage: 'NUMBER', title, screens: ['webhooks'] },
    run: (plain, rest) => {
      const [row, other] = rowsOf(rest, plain.listing)
      if (!row || other) throw missing(`${word} NUMBER`)
      const why = refusal?.(row)
      return why === undefined ? ask(plain, questionOf(row)) : plain.say(why)
    },
  }
}

function noFailures(row: CrmRecord): string | undefined {
  if (Number(row.failing ?? 0) > 0) return undefined
  const all = resendCommand(row)
  return `No failed delivery of ${webhookName(row)} is known${all === undefined ? '' : `; older ones: ${all}`}.`
}

async function ask(plain: Plain, { title, send, ...question }: WebhookQuestion): Promise<void> {
  const { store, background, say } = plain
  if (!(await isConfirmed(plain, { ...question, title: `${title} on ${store.get().place.text}?`, diff: [] }))) return
  const secret = await send(background.webhooks)
  if (secret !== undefined) say(`The new secret, which is said only now: ${safeText(secret)}`)
}
