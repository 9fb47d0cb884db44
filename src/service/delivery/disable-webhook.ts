import { parseJsonText } from '../json-text.ts'
import type { Change, Store, StoredRecord } from '../store/store.ts'
import { nextWebhook } from '../webhook-changes.ts'

const DISABLED = '"disabled"'

/** Disables a subscription; its record shows when and why. False when it does not exist or is already disabled. */
export async function disableWebhook(store: Pick<Store, 'write'>, id: string, reason: string): Promise<boolean> {
  let hasChanged = false
  await store.write({
    kind: 'webhook',
    id,
    parent: undefined,
    idempotency: undefined,
    decide: ({ current, nowMs }) => {
      const next = current && disabled(current, reason, nowMs)
      hasChanged = next !== current
      return { next, deal: undefined, event: undefined, answer: ANSWER }
    },
  })
  return hasChanged
}

/** Unused, as this write belongs to no request. */
const ANSWER: Change['answer'] = { status: 200, body: '', location: undefined, etag: undefined }

function disabled(current: StoredRecord, reason: string, nowMs: number): NonNullable<Change['next']> {
  const members = parseJsonText(current.text)
  if (typeof members !== 'string' && members.get('status') === DISABLED) return current
  const set = new Map([
    ['status', DISABLED],
    ['disabled_reason', JSON.stringify(reason)],
  ])
  return nextWebhook(current, set, nowMs)
}
