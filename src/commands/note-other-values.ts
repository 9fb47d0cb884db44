import type { Context } from '../context.ts'
import type { JsonObject } from '../core/json.ts'
import { otherValues, otherValueText } from '../core/other-values.ts'
import type { CrmRecord } from '../core/resources/registry.ts'

/** Notes values in the answer that differ from those sent: a server may ignore a member. */
export function noteOtherValues(ctx: Pick<Context, 'note'>, record: CrmRecord, patch: JsonObject): void {
  const others = otherValues(record, patch).map(otherValueText)
  if (others.length > 0) ctx.note(`The answer shows another value than was sent: ${others.join('; ')}`)
}
