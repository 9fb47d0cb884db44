import { setImmediate as nextTurn } from 'node:timers/promises'
import { isJsonObject, parseExactJson } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { PlanFile } from './plan-file.ts'
import type { PlanEnd, PlanHead } from './plan-format.ts'

/** A plan in a file, to be looked at. */
export interface OpenedPlan {
  readonly head: PlanHead
  readonly end: PlanEnd
  pages(): AsyncIterable<{ readonly items: readonly CrmRecord[]; readonly nextCursor: undefined }>
}

/** CrmError `invalid_input` for a file that is no whole plan, or has changed since it was made. */
export function openPlan(path: string): OpenedPlan {
  const plan = new PlanFile(path)
  plan.verify()
  return {
    head: plan.head,
    end: plan.end,
    async *pages() {
      try {
        for (const operations of plan.operations()) {
          const items = operations.map(({ op, head, body }) => {
            const fields = body && parseExactJson(body.toString('utf8'))
            const { do: kind, id = null, line = null, failed } = head
            const reason = failed?.reason ?? null
            return { op, do: kind, id, line, fields: isJsonObject(fields) ? fields : null, reason } as CrmRecord
          })
          yield { items, nextCursor: undefined }
          await nextTurn()
        }
      } finally {
        plan.close()
      }
    },
  }
}
