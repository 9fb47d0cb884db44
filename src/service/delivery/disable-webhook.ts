import { type JsonNode, jsonText, type Members, parseJsonText } from '../json-text.ts'
import type { Change, Store, StoredRecord } from '../store/store.ts'

const DISABLED = '"disabled"'

/** Ends a subscription; who reads its record sees that and when. One that is not there or ended before is left alone. */
export async function disableWebhook(store: Pick<Store, 'write'>, id: string): Promise<void> {
  await store.write({
    kind: 'webhook',
    id,
    parent: undefined,
    idempotency: undefined,
    decide: ({ current, nowMs }) => {
      const next = current && disabled(current, nowMs)
      return { next, deal: undefined, event: undefined, answer: ANSWER }
    },
  })
}

/** Nobody gets it: this write comes from no request. */
const ANSWER: Change['answer'] = { status: 200, body: '', location: undefined, etag: undefined }

function disabled({ text, version }: StoredRecord, nowMs: number): NonNullable<Change['next']> {
  const members = new Map<string, JsonNode>(parseJsonText(text) as Members)
  if (members.get('status') === DISABLED) return { text, version }
  members.set('status', DISABLED)
  members.set('updated_at', JSON.stringify(new Date(nowMs).toISOString()))
  members.set('version', `${version + 1}`)
  return { text: jsonText(members), version: version + 1 }
}
