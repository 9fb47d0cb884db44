import {
  addDecimals,
  compareDecimals,
  type Decimal,
  decimalJson,
  decimalOf,
  dividedDecimal,
  ZERO,
} from '../../core/decimal.ts'
import { CrmError } from '../../core/errors.ts'
import type { JsonValue } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'

/** `count`, or `sum(amount)`; `text` is its column. */
export interface Measure {
  readonly text: string
  /** Undefined: `count`. */
  readonly of: { readonly what: Aggregate; readonly member: string } | undefined
}

const AGGREGATES = ['sum', 'avg', 'median', 'min', 'max'] as const

type Aggregate = (typeof AGGREGATES)[number]

/** `count,sum(amount)`. CrmError `usage` for anything else. */
export function parseMeasures(text: string): readonly Measure[] {
  return text.split(',').map((each) => parseMeasure(each.trim()))
}

function parseMeasure(text: string): Measure {
  if (text === 'count') return { text, of: undefined }
  const [, name, member] = /^(\w+)\(([^()]+)\)$/.exec(text) ?? []
  const what = AGGREGATES.find((each) => each === name)
  if (what && member) return { text, of: { what, member } }
  throw new CrmError('usage', `--measures: ${JSON.stringify(text)} is no measure`, {
    hint: `expected count, or ${AGGREGATES.map((each) => `${each}(MEMBER)`).join(', ')}, such as --measures 'count,sum(amount)'`,
  })
}

/** The numbers of one member in one group. */
class Numbers {
  readonly all: Decimal[] = []

  of(what: Aggregate): Decimal | undefined {
    const { all } = this
    if (what === 'sum') return all.reduce(addDecimals, ZERO)
    if (all.length === 0) return undefined
    if (what === 'avg') return dividedDecimal(all.reduce(addDecimals, ZERO), all.length)
    const sorted = all.toSorted(compareDecimals)
    if (what !== 'median') return sorted.at(what === 'min' ? 0 : -1)
    const [low = ZERO, high = ZERO] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]]
    return dividedDecimal(addDecimals(low, high), 2)
  }
}

/** Records with the same values of the members that group them. */
export class Group {
  readonly values: readonly JsonValue[]
  #count = 0
  readonly #numbers = new Map<string, Numbers>()

  constructor(values: readonly JsonValue[]) {
    this.values = values
  }

  /** The number of values that are no numbers, and so are in no measure. */
  add(record: CrmRecord, members: readonly string[]): number {
    this.#count++
    let others = 0
    for (const member of members) {
      const value = Object.hasOwn(record, member) ? record[member] : undefined
      const number = decimalOf(value)
      const own = this.#numbers.get(member) ?? new Numbers()
      this.#numbers.set(member, own)
      if (number) own.all.push(number)
      else if (value !== undefined && value !== null) others++
    }
    return others
  }

  /** Undefined for a measure of no numbers. */
  measured({ of }: Measure): Decimal | undefined {
    return of ? this.#numbers.get(of.member)?.of(of.what) : { digits: BigInt(this.#count), scale: 0 }
  }

  shown(measure: Measure): JsonValue {
    const decimal = this.measured(measure)
    return decimal ? decimalJson(decimal) : null
  }
}
