import { CrmError } from '../../core/errors.ts'

/** The first word, and what follows it. */
export function firstWord(text: string): readonly [string, string] {
  const [, word = '', rest = ''] = /^(\S*)\s*(.*)$/s.exec(text) ?? []
  return [word, rest]
}

export function missing(usage: string): CrmError {
  return new CrmError('invalid_input', 'something is missing', { hint: `expected ${usage}` })
}
