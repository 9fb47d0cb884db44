import { parseExactJson } from '../../core/exact-json.ts'
import { isJsonObject, type JsonObject } from '../../core/json.ts'
import type { OperationHead } from './operation.ts'
import type { PlanFile } from './plan-file.ts'

/** How many operations write a member, and how. */
export interface FieldCount {
  readonly field: string
  readonly create: number
  readonly update: number
  /** Of the updates those that take its value away. */
  readonly clear: number
}

/** Who makes the input names its members, and could name a new one in every row. */
const MOST_FIELDS = 1000

/** Which members the operations of a plan write. */
export class FieldCounts {
  readonly #counts = new Map<string, { field: string; create: number; update: number; clear: number }>()

  add(kind: OperationHead['do'], body: JsonObject): void {
    if (kind === 'delete' || kind === 'fail') return
    for (const field of Object.keys(body)) {
      let count = this.#counts.get(field)
      if (!count) {
        if (this.#counts.size >= MOST_FIELDS) continue
        count = { field, create: 0, update: 0, clear: 0 }
        this.#counts.set(field, count)
      }
      count[kind] += 1
      if (kind === 'update' && body[field] === null) count.clear += 1
    }
  }

  /** The most written first. */
  list(): readonly FieldCount[] {
    return [...this.#counts.values()].toSorted((a, b) => b.create + b.update - a.create - a.update)
  }
}

/** Of a plan that was made before; parses every body, which takes seconds for a million. */
export function fieldsOfPlan(plan: PlanFile): readonly FieldCount[] {
  const fields = new FieldCounts()
  for (const batch of plan.operations()) {
    for (const { head, body } of batch) {
      const parsed = body && parseExactJson(body.toString('utf8'))
      if (isJsonObject(parsed)) fields.add(head.do, parsed)
    }
  }
  return fields.list()
}
