import type { OrderedComparison } from './plain-paths.ts'

/** Fails for a value of the other type: jq orders every text after every number, whatever they hold. */
const CHECK =
  'def _ordered($other; $before; $after): if type == $other then error($before + (tojson | .[:60]) + $after) else . end; '

/**
 * The program with what it orders against a literal checked at the comparison: a text against a number, and a number against a text,
 * is an error. Servers send decimals as texts (`"500.00"`), and jq would find all of them greater than any number.
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

function checkOf(program: string, { member, literal, operator }: OrderedComparison): string {
  const written = program.slice(member.start, member.end)
  const isNumber = literal.literal === 'number'
  const given = program.slice(literal.start, literal.end)
  const source = `(${written}|tonumber)`
  const [first, second] = member.start < literal.start ? [source, given] : [given, source]
  const after = isNumber ? `, not a number; use ${first} ${operator} ${second}` : `, not a text like ${given}`
  const isMember = member.of === 'input' && member.names.length > 0
  const name = isMember ? member.names.map(({ text }) => text).join('.') : written
  const before = `${name} is the ${isNumber ? 'text' : 'number'} `
  return `_ordered(${[isNumber ? 'string' : 'number', before, after].map((part) => JSON.stringify(part)).join('; ')})`
}
