import { jqTokens, type Token, UnreadJq } from '../../expr/jq-tokens.ts'
import { ConnectorMistake } from './paths.ts'

// A connector is input: jq in it reads nothing but the value of a field, and ends.

/** None of them recurses or repeats, so that a program ends; the limits below bound its steps. */
const FUNCTIONS = new Set(
  [
    'if then elif else end and or not as reduce foreach try catch null true false empty error add all any first last',
    'length utf8bytelength keys values has in map map_values del to_entries from_entries with_entries select tostring',
    'tonumber type sort sort_by group_by min max min_by max_by unique unique_by reverse contains inside startswith endswith',
    'ltrimstr rtrimstr trim ltrim rtrim explode implode split join ascii_downcase ascii_upcase test match capture scan sub',
    'gsub splits tojson fromjson todate fromdate todateiso8601 fromdateiso8601 strptime strftime mktime gmtime floor ceil',
    'round fabs abs index rindex indices flatten objects arrays booleans numbers strings nulls iterables scalars isvalid',
    'toarray nth',
  ]
    .join(' ')
    .split(' '),
)

const MOST_CHARS = 1000
const MOST_DEPTH = 20
/** What gives several results: each multiplies the steps of the others. */
const MOST_LOOPS = 3
const LOOPS = new Set([
  '..',
  'reduce',
  'foreach',
  'map',
  'map_values',
  'any',
  'all',
  'with_entries',
  'scan',
  'splits',
  'match',
])
const MOST_COMMAS = 8

/** ConnectorMistake with the position of what a program of a field may not have. */
export function checkProgram(program: string): void {
  if (program.length > MOST_CHARS) {
    throw new ConnectorMistake(`the program has ${program.length} characters`, `at most ${MOST_CHARS}`, MOST_CHARS)
  }
  let tokens: readonly Token[]
  try {
    tokens = jqTokens(program)
  } catch (error) {
    if (!(error instanceof UnreadJq)) throw error
    throw new ConnectorMistake('this is no program of jq', 'one of jq 1.8', 0)
  }
  checkTokens(tokens, 0)
  const all = tokens.flatMap(withInner)
  const loops = all.filter(
    ({ text }, at) => (text !== undefined && LOOPS.has(text)) || (text === '[' && isMark(all[at + 1], ']')),
  )
  const commas = all.filter(({ kind, text }) => kind === 'mark' && text === ',')
  for (const [found, most, what] of [
    [loops, MOST_LOOPS, 'loops'],
    [commas, MOST_COMMAS, 'commas'],
  ] as const) {
    const one = found[most]
    if (one) throw new ConnectorMistake(`the program has ${found.length} ${what}`, `at most ${most}`, one.start)
  }
}

function withInner(token: Token): readonly Token[] {
  return [token, ...token.inner.flat().flatMap(withInner)]
}

function checkTokens(tokens: readonly Token[], outer: number): void {
  let depth = outer
  for (const [at, token] of tokens.entries()) {
    depth += depthChange(token)
    if (depth > MOST_DEPTH) {
      throw new ConnectorMistake('the program is nested deeper', `at most ${MOST_DEPTH} brackets`, token.start)
    }
    if (isRefused(token, tokens[at + 1])) {
      const name = token.kind === 'variable' ? `$${token.text}` : token.text
      throw new ConnectorMistake(`${name} is not offered here`, 'functions of the value alone', token.start)
    }
    for (const part of token.inner) checkTokens(part, depth + 1)
  }
}

function depthChange({ kind, text = '' }: Token): number {
  if (kind !== 'mark') return 0
  if ('([{'.includes(text)) return 1
  return ')]}'.includes(text) ? -1 : 0
}

/** The environment, and what is no function of the value; the key of an object may have any name. */
function isRefused({ kind, text = '' }: Token, next: Token | undefined): boolean {
  if (kind === 'variable') return /^(?:ENV$|__)/.test(text)
  return kind === 'name' && !isMark(next, ':') && !FUNCTIONS.has(text)
}

function isMark(token: Token | undefined, text: string): boolean {
  return token?.kind === 'mark' && token.text === text
}
