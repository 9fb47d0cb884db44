import { setImmediate as nextTurn } from 'node:timers/promises'
import type { JsonObject } from '../../core/json.ts'
import { resourceOf } from '../../core/resources/registry.ts'
import { checkPlan } from './check-plan.ts'
import { contentsOfPlan, operationValues, upsertText } from './plan-contents.ts'
import { PlanFile } from './plan-file.ts'
import { type OperationHead, type PlanEnd, type PlanHead, parentIdIn } from './plan-format.ts'
import type { Preview } from './preview.ts'

/** An operation of a plan, or a row that fails without one. */
export interface ShownOperation {
  readonly op: number
  readonly do: OperationHead['do']
  readonly id: string | null
  /** The id of the deal that a new note belongs to; absent for everything else. */
  readonly parent?: string
  readonly line: number | null
  readonly fields: JsonObject | null
  /** What the operation replaces; null for a create, and if the plan does not have it. */
  readonly was: JsonObject | null
  readonly reason: string | null
}

/** A plan in a file, to be looked at. */
export interface OpenedPlan {
  readonly head: PlanHead
  readonly end: PlanEnd
  /** That its creates may change records; undefined if they cannot. */
  readonly upserts: string | undefined
  /** What it changes, as values; reads the whole plan. */
  preview(): Preview
  pages(): AsyncIterable<readonly ShownOperation[]>
}

/** CrmError `invalid_input` for a file that is no whole plan, has changed since it was made, or that `apply` would refuse. */
export function openPlan(path: string): OpenedPlan {
  const plan = new PlanFile(path)
  checkPlan(plan)
  const parentOf = ({ do: kind, path }: OperationHead) => {
    const parent = kind === 'create' ? parentIdIn(resourceOf(plan.head.noun), path) : undefined
    return parent === undefined ? {} : { parent }
  }
  return {
    head: plan.head,
    end: plan.end,
    upserts: upsertText(plan.head),
    preview: () => contentsOfPlan(plan).preview,
    async *pages() {
      try {
        for (const operations of plan.operations()) {
          yield operations.map((operation) => {
            const { do: kind, id = null, line = null, failed } = operation.head
            const { body: fields = null, was = null } = operationValues(operation)
            return {
              op: operation.op,
              do: kind,
              id,
              line,
              fields,
              was,
              reason: failed?.reason ?? null,
              ...parentOf(operation.head),
            }
          })
          await nextTurn()
        }
      } finally {
        plan.close()
      }
    },
  }
}
