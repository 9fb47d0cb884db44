import { safeText } from '../output/safe-text.ts'
import type { Suggestion, Suggestions } from './candidates.ts'

/** A quoted part, possibly unclosed; an escaped character; plain characters; blanks. */
const PART = /'([^']*)('?)|"((?:[^"\\]|\\.)*\\?)("?)|\\(.?)|([^\s'"\\]+)|\s+/gs

export const SHELLS = ['bash', 'zsh', 'fish'] as const

export type Shell = (typeof SHELLS)[number]

interface Dialect {
  /** The words passed by the shell's script, without `crm`; the last one is under the cursor. */
  words(given: readonly string[]): readonly string[]
  /** The line printed for a candidate; undefined for one that cannot be typed there. */
  line(answer: Suggestions, candidate: Suggestion, given: readonly string[]): string | undefined
}

/** The first line states the kind of what follows, and the part of the word that is kept; the scripts interpret only this line. */
export function answerText(shell: Shell, answer: Suggestions, given: readonly string[]): string {
  const kind = answer.candidates === 'files' ? 'files' : answer.isOpen ? 'open' : 'words'
  const candidates = answer.candidates === 'files' ? [] : answer.candidates.filter(isTypable)
  const lines = candidates.map((candidate) => DIALECTS[shell].line(answer, candidate, given))
  return `${[`${kind}\t${answer.head}`, ...lines.filter((line) => line !== undefined)].join('\n')}\n`
}

export function typedWords(shell: Shell, given: readonly string[]): readonly string[] {
  return DIALECTS[shell].words(given)
}

const DIALECTS: Readonly<Record<Shell, Dialect>> = {
  bash: {
    words: (given) => typedInBash(given).words.slice(1),
    line: ({ head, isOpen }, { word }, given) => {
      const typed = typedInBash(given)
      const full = `${head}${word}`
      if (!full.startsWith(typed.words.at(-1) ?? '')) return undefined
      const shown = quoted(full.slice(typed.keptLength), typed.quote)
      // readline closes the quote, so the blank after it is left to the user.
      return isOpen || typed.quote !== '' ? shown : shown && `${shown} `
    },
  },
  zsh: {
    words: (given) => given,
    // The format of _describe.
    line: (_, { word, about }) => {
      const shown = word.replace(/[\\:]/g, '\\$&')
      return about === '' ? shown : `${shown}:${shownAbout(about).replaceAll('\\', '\\\\')}`
    },
  },
  fish: {
    words: (given) => given,
    line: ({ head }, { word, about }) => `${head}${word}\t${shownAbout(about)}`,
  },
}

function typedInBash([line = '', breaks = '']: readonly string[]): TypedLine {
  return parseTypedLine(line, breaks)
}

/** Names that would move the cursor or end the line are not offered. */
function isTypable({ word }: Suggestion): boolean {
  return word !== '' && safeText(word) === word
}

function shownAbout(about: string): string {
  return safeText(about.length > 80 ? `${about.slice(0, 79)}…` : about)
}

/** Quotes the text for the shell; undefined for a text that the open quote cannot contain. */
function quoted(text: string, quote: TypedLine['quote']): string | undefined {
  if (quote === "'") return text.replaceAll("'", "'\\''")
  if (quote === '') return text.replace(/[^\p{L}\p{N}_@%+=:,./-]/gu, '\\$&')
  // In double quotes, history expansion also applies to an escaped exclamation mark, and the backslash is kept.
  return text.includes('!') ? undefined : text.replace(/["$`\\]/g, '\\$&')
}

/** A line up to the cursor, as bash and readline split it. */
interface TypedLine {
  /** The words without quotes; the last one is under the cursor. */
  readonly words: readonly string[]
  /** The open quote at the cursor. */
  readonly quote: '"' | "'" | ''
  /** The number of characters of the last of `words` that readline keeps; it inserts the completion after them. */
  readonly keptLength: number
}

/**
 * Splits a line as a shell does, without expansions: a typed variable or `$(…)` stays plain text. `breaks` are the characters
 * at which readline begins a word (COMP_WORDBREAKS), besides an open quote.
 */
export function parseTypedLine(line: string, breaks: string): TypedLine {
  const words: string[] = []
  let word = ''
  let quote: TypedLine['quote'] = ''
  let keptLength = 0
  for (const [, single, singleEnd, double, doubleEnd, escaped, plain] of line.trimStart().matchAll(PART)) {
    const text = single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? escaped ?? plain
    if (text === undefined) {
      words.push(word)
      word = ''
      keptLength = 0
      continue
    }
    if (singleEnd === '') quote = "'"
    if (doubleEnd === '') quote = '"'
    const broken = plain === undefined ? 0 : lastBreak(plain, breaks)
    if (quote !== '' || broken > 0) keptLength = word.length + broken
    word += text
  }
  return { words: [...words, word], quote, keptLength }
}

/** The index after the last break character; 0 without one. */
function lastBreak(plain: string, breaks: string): number {
  return [...breaks].reduce((kept, char) => Math.max(kept, plain.lastIndexOf(char) + 1), 0)
}
