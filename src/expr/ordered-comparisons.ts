import type { Token } from './jq-tokens.ts'
import type { Input } from './path-uses.ts'

const ORDERS: readonly string[] = ['<', '<=', '>', '>=']
/** Operators that bind tighter than a comparison. */
const ARITHMETIC: readonly string[] = ['+', '-', '*', '/', '%']

type LiteralKind = 'number' | 'text'

/** A part of a program between two operators. */
export interface Operand {
  readonly input: Input
  readonly isTry: boolean
  /** Offsets in the program. */
  readonly start: number
  readonly end: number
  /** The kind of a literal; undefined for any other operand. */
  readonly literal: LiteralKind | undefined
}

/** `.amount > 1000`: a member of the record, ordered against a literal. */
export interface OrderedComparison {
  readonly path: readonly string[]
  readonly member: Operand
  readonly literal: Operand
  readonly operator: string
}

export function literalKind({ kind, text }: Token): LiteralKind | undefined {
  if (kind === 'number') return 'number'
  return kind === 'text' && text !== undefined ? 'text' : undefined
}

/** Collects the comparisons by order of a member of the record with a literal. */
export class Comparisons {
  readonly #found = new Map<number, OrderedComparison>()
  /** Offsets of operands that are also another value: in a function that is called on other input, too. */
  readonly #unclear = new Set<number>()

  /** The result of the operands: known for a single one, and for a member with a literal default. */
  inOperands(operands: readonly Operand[], operators: readonly string[]): Input {
    for (const [at, operator] of operators.entries()) {
      const [left, right] = operands.slice(at)
      const isWhole = ![operators[at - 1], operators[at + 1]].some((next) => ARITHMETIC.includes(next ?? ''))
      if (!left || !right || !isWhole || !ORDERS.includes(operator)) continue
      if (right.literal) this.#add(left, right, operator)
      else if (left.literal) this.#add(right, left, operator)
    }
    const hasDefault = operators.length === 1 && operators[0] === '//' && operands[1]?.literal !== undefined
    return operators.length === 0 || hasDefault ? operands[0]?.input : undefined
  }

  /** The comparisons whose member is always one of the record, in the order of the program. */
  proven(): readonly OrderedComparison[] {
    return [...this.#found.values()].filter(({ member }) => !this.#unclear.has(member.start))
  }

  #add(member: Operand, literal: Operand, operator: string): void {
    const { input } = member
    if (!input || !('place' in input) || input.place.length === 0) this.#unclear.add(member.start)
    else this.#found.set(member.start, { path: input.place, member, literal, operator })
  }
}

/** Fails for a value of the other type: jq orders every text after every number, whatever they hold. */
const CHECK =
  'def _ordered($other; $before; $after): if type == $other then error($before + (tojson | .[:60]) + $after) else . end; '

/**
 * The program with each of these members checked at its comparison: a text against a number, and a number against a text, is
 * an error. Servers send decimals as texts (`"500.00"`), and jq would find all of them greater than any number.
 */
export function withCheckedOrder(program: string, comparisons: readonly OrderedComparison[]): string {
  const inserts = comparisons.flatMap((comparison) => {
    const { member } = comparison
    return [
      { at: member.start, text: '(' },
      { at: member.end, text: `|${checkOf(program, comparison)})` },
    ]
  })
  let checked = ''
  let from = 0
  for (const { at, text } of inserts.toSorted((one, other) => one.at - other.at)) {
    checked += program.slice(from, at) + text
    from = at
  }
  return (comparisons.length === 0 ? '' : CHECK) + checked + program.slice(from)
}

function checkOf(program: string, { path, member, literal, operator }: OrderedComparison): string {
  const name = path.join('.')
  const isNumber = literal.literal === 'number'
  const given = program.slice(literal.start, literal.end)
  const source = `(${program.slice(member.start, member.end)}|tonumber)`
  const [first, second] = member.start < literal.start ? [source, given] : [given, source]
  const after = isNumber ? `, not a number; use ${first} ${operator} ${second}` : `, not a text like ${given}`
  const before = `${name} is the ${isNumber ? 'text' : 'number'} `
  return `_ordered(${[isNumber ? 'string' : 'number', before, after].map((part) => JSON.stringify(part)).join('; ')})`
}
