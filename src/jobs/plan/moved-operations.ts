import type { PlanBuilder, Planned } from './plan-builder.ts'
import type { PlanOperation } from './plan-format.ts'

/** Adds operations of another plan to a new one, where they wait for each other as in the other plan. */
export class MovedOperations {
  readonly #places = new Map<number, number>()
  readonly #builder: Pick<PlanBuilder, 'add' | 'next'>
  readonly #isReverse: boolean

  /** `isReverse`: the last operation comes first, and what waited for another is done before it. */
  constructor(builder: Pick<PlanBuilder, 'add' | 'next'>, isReverse = false) {
    this.#builder = builder
    this.#isReverse = isReverse
  }

  add({ op, head: { after } }: PlanOperation, ...[planned, earlier]: Parameters<PlanBuilder['add']>): void {
    const [waits, noted] = this.#isReverse ? [op, after] : [after, op]
    const first = waits === undefined ? undefined : this.#places.get(waits)
    const place = this.#builder.next
    this.#builder.add({ ...planned, ...(first !== undefined && { after: first }) } satisfies Planned, earlier)
    // An operation that was done before is not in the plan.
    if (noted !== undefined && this.#builder.next > place) this.#places.set(noted, place)
  }
}
