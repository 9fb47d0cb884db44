import { CrmError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import { wasThereBefore } from '../../core/made-at.ts'
import { isAnother } from '../../core/other-values.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { otherReason } from '../connectors/shown-at.ts'
import { type KeyState, onceError } from '../errors/failure.ts'
import { oneLine } from '../errors/one-line.ts'
import type { ShownUnderId } from '../pages/pages.ts'
import type { Call } from '../transport/call.ts'

interface ReadBack {
  /** What the answer to the write showed. */
  readonly written: CrmRecord
  /** Undefined: the record cannot be read. */
  readonly read: () => Promise<ShownUnderId>
  /** Called with the reason why the record cannot be shown. */
  readonly onUnread: (reason: string) => void
  /** Throws for another record than the written one. */
  readonly checkShown: (shown: Exclude<ShownUnderId, undefined>) => void
}

/**
 * The record after a write whose answer shows a part of it, or nothing. The write is done, so that a record which cannot be
 * read is no error.
 */
export async function readBack({ written, read, onUnread, checkShown }: ReadBack): Promise<CrmRecord> {
  let shown: ShownUnderId
  try {
    shown = await read()
  } catch (error) {
    if (!(error instanceof CrmError)) throw error
    onUnread(error.message)
    return written
  }
  if (!shown) {
    onUnread('the server does not show it yet')
    return written
  }
  checkShown(shown)
  if ('record' in shown) return shown.record
  onUnread(otherReason(shown.otherId))
  return written
}

export interface MadeRecord {
  readonly call: Call
  readonly id: string
  readonly sent: JsonObject
  /** When the request began, by the clock of the server. */
  readonly sinceMs: number
  /** If they are kept, the answer may be the kept one of an earlier request. */
  readonly keys: KeyState
}

/** CrmError `in_doubt` if the id that answers a create is that of another record. */
export function checkMade(shown: Exclude<ShownUnderId, undefined>, made: MadeRecord): void {
  const why = 'record' in shown ? whyNotMade(shown.record, made) : whyOther(shown.otherId)
  if (why === undefined) return
  const reason = `the server answered with the id ${oneLine(made.id, 60)}, but ${why}`
  throw onceError(
    made.call,
    { code: 'in_doubt', reason, hint: '', rule: 'never', isInDoubt: true },
    { tries: 1, keys: made.keys },
  )
}

function whyNotMade(record: CrmRecord, { sent, sinceMs, keys }: MadeRecord): string | undefined {
  const isOld = wasThereBefore(record, sinceMs)
  if (isOld && !keys.isKept) return 'that record was there before'
  return isAnother(record, sent) ? 'that record has none of the values that were sent' : undefined
}

function whyOther(otherId: string | undefined): string | undefined {
  return otherId === undefined ? undefined : `shows the record ${oneLine(otherId, 60)} there`
}
