import { CrmError } from './errors.ts'

/** A word with its quotes, or the blanks between two words. */
const PART = /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\]+)|(\s+)/gs

/**
 * Splits a command line into words as a shell does, without variables, globs or pipes. CrmError `usage` when there is no
 * word, or a quote is not closed.
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
  throw new CrmError('usage', `${flag} ${JSON.stringify(text)} is not a command`, {
    hint: `expected a program and its arguments, with closed quotes: ${flag} 'node handler.js "two words"'`,
  })
}

/** Quotes a word for a POSIX shell, so that a hint can be pasted for any path. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/** The ` -p NAME` of the command line, to append to a suggested command for the same server; empty without one. */
export function typedProfile(...commands: readonly (readonly string[])[]): string {
  const name = commands.map(profileIn).find((each) => each !== undefined)
  return name === undefined ? '' : ` -p ${shellWord(name)}`
}

function profileIn(argv: readonly string[]): string | undefined {
  let name: string | undefined
  for (const [at, word] of argv.entries()) {
    if (word === '--') break
    if (word === '-p' || word === '--profile') name = argv[at + 1] ?? name
    else if (word.startsWith('--profile=')) name = word.slice('--profile='.length)
    else if (/^-p./.test(word)) name = word.slice(2)
  }
  return name
}
