import type { Context } from '../context.ts'
import type { JsonObject, JsonValue } from '../core/json.ts'
import { otherValues } from '../core/other-values.ts'
import type { CrmRecord } from '../core/resources/registry.ts'

const MOST_CHARS = 60

/** A server may ignore a member, or answer with the unchanged record: a note names each value that differs from what was sent. */
export function noteOtherValues(ctx: Context, record: CrmRecord, patch: JsonObject): void {
  const others = otherValues(record, patch).map(
    ({ member, asked, shown }) => `${member}: sent ${shortText(asked)}, answered ${shortText(shown)}`,
  )
  if (others.length > 0) ctx.note(`The answer shows another value than was sent: ${others.join('; ')}`)
}

function shortText(value: JsonValue): string {
  const text = JSON.stringify(value)
  return text.length <= MOST_CHARS ? text : `${text.slice(0, MOST_CHARS - 1).toWellFormed()}…`
}
