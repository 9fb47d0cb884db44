import { ConnectorMistake } from './paths.ts'

/** A label of a host name has no more. */
const MOST_CHARS = 63
const MOST_PATTERN = 100
const MOST_QUANTIFIERS = 3

/**
 * Refuses regular expressions that could take long: on 63 characters, three quantifiers without nesting and back references
 * need at most 250,000 steps. ConnectorMistake with the position.
 */
export function checkPattern(text: string): void {
  if (text.length > MOST_PATTERN) {
    throw new ConnectorMistake(`the pattern has ${text.length} characters`, `at most ${MOST_PATTERN}`, MOST_PATTERN)
  }
  try {
    new RegExp(anchored(text), 'u')
  } catch (error) {
    throw new ConnectorMistake(`not a regular expression: ${(error as Error).message}`, 'one of JavaScript', 0)
  }
  // Escapes and classes as one character each, so that only syntax is left.
  const syntax = text.replace(/\\[bBdDsSwW.\\/^$*+?()[\]{}|-]|\[(?:\\.|[^\]\\])*\]/g, (found) =>
    'x'.padEnd(found.length, 'x'),
  )
  const refused = /\\|\(\?|\)[*+?{]|(?:[*+?}][*+?{])/.exec(syntax)
  if (refused) {
    const expected = 'no quantifier after a group, look-around, back reference or lazy quantifier'
    throw new ConnectorMistake(
      `"${text.slice(refused.index, refused.index + 2)}" could take long`,
      expected,
      refused.index,
    )
  }
  const quantifiers = [...syntax.matchAll(/[*+?{]/g)]
  const one = quantifiers[MOST_QUANTIFIERS]
  if (one) throw new ConnectorMistake('the pattern has more quantifiers', `at most ${MOST_QUANTIFIERS}`, one.index)
}

/** A test of whole texts; a longer text than 63 characters never matches. */
export function patternTest(pattern: string): (text: string) => boolean {
  const whole = new RegExp(anchored(pattern), 'u')
  return (text) => text.length <= MOST_CHARS && whole.test(text)
}

function anchored(pattern: string): string {
  return `^(?:${pattern})$`
}
