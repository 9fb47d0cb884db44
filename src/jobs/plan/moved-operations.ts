import type { Planned } from './plan-builder.ts'
import type { PlanOperation } from './plan-format.ts'

/** Where operations of another plan are in a new one, for those that wait for others. */
export class MovedOperations {
  readonly #places = new Map<number, number>()

  /** Notes its place, and says which operation of the new plan comes before it; none if that is not in the new plan. */
  move({ op, head: { after } }: PlanOperation, place: number): Pick<Planned, 'after'> {
    const first = after === undefined ? undefined : this.#places.get(after)
    this.#places.set(op, place)
    return first === undefined ? {} : { after: first }
  }
}
