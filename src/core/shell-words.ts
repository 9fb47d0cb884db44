import { CrmError } from './errors.ts'

/** A word with its quotes, or the blanks between two. */
const PART = /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\]+)|(\s+)/gs

/**
 * The words of a command line as a shell splits them, and nothing else that a shell does: no variables, no globs, no
 * pipes. CrmError `usage` when there is no word, or a quote that does not end.
 */
export function shellWords(text: string, flag: string): readonly [string, ...string[]] {
  const words: string[] = []
  let word: string | undefined
  let readTo = 0
  for (const { 0: part, 1: single, 2: double, 3: escaped, 4: plain, 5: blank, index } of text.matchAll(PART)) {
    if (index !== readTo) break
    readTo += part.length
    if (blank === undefined)
      word = (word ?? '') + (single ?? double?.replace(/\\(["\\])/g, '$1') ?? escaped ?? plain ?? '')
    if (blank === undefined || word === undefined) continue
    words.push(word)
    word = undefined
  }
  if (word !== undefined) words.push(word)
  const [first, ...rest] = words
  if (readTo === text.length && first) return [first, ...rest]
  throw new CrmError('usage', `${flag} ${JSON.stringify(text)} is no command`, {
    hint: `a program and its words, with quotes that end: ${flag} 'node handler.js "two words"'`,
  })
}
