import { safeText } from '../output/safe-text.ts'
import type { Answer, Candidate } from './candidates.ts'

/** A quoted part, which need not have ended; an escaped character; plain ones; blanks. */
const PART = /'([^']*)('?)|"((?:[^"\\]|\\.)*\\?)("?)|\\(.?)|([^\s'"\\]+)|\s+/gs

export const SHELLS = ['bash', 'zsh', 'fish'] as const

export type Shell = (typeof SHELLS)[number]

interface Dialect {
  /** The words that the shell's script hands over, the last one under the cursor; without `crm` itself. */
  words(given: readonly string[]): readonly string[]
  /** What is printed for each candidate: undefined where it cannot stand there. */
  line(answer: Answer, candidate: Candidate, given: readonly string[]): string | undefined
}

/** The first line of every answer: what follows, and what of the word stays. The scripts read no more than that. */
export function answerText(shell: Shell, answer: Answer, given: readonly string[]): string {
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
      // readline closes a quote itself, so the blank behind it is left to the person.
      return isOpen || typed.quote !== '' ? shown : shown && `${shown} `
    },
  },
  zsh: {
    words: (given) => given,
    // As _describe reads it.
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

/** A name of somebody else's that would move the cursor or end the line is not offered. */
function isTypable({ word }: Candidate): boolean {
  return word !== '' && safeText(word) === word
}

function shownAbout(about: string): string {
  return safeText(about.length > 80 ? `${about.slice(0, 79)}…` : about)
}

/** So that the shell reads the text and nothing else; undefined for what cannot be said within the quote that is open. */
function quoted(text: string, quote: TypedLine['quote']): string | undefined {
  if (quote === "'") return text.replaceAll("'", "'\\''")
  if (quote === '') return text.replace(/[^\p{L}\p{N}_@%+=:,./-]/gu, '\\$&')
  // Within double quotes history expansion finds an exclamation mark that has a backslash, and the backslash stays.
  return text.includes('!') ? undefined : text.replace(/["$`\\]/g, '\\$&')
}

/** What bash and readline make of a line up to the cursor. */
interface TypedLine {
  /** Without their quotes; the last one is under the cursor. */
  readonly words: readonly string[]
  /** The quote that is open at the cursor. */
  readonly quote: '"' | "'" | ''
  /** How many characters of the last word, as in `words`, readline keeps: it puts its own in behind them. */
  readonly keptLength: number
}

/**
 * As a shell would split it, without doing anything else that a shell does: a variable or a `$(…)` that was typed stays the
 * text it is. `breaks` are the characters at which readline begins a word (COMP_WORDBREAKS), besides an open quote.
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

/** Up to and with the last break in it; 0 for none. */
function lastBreak(plain: string, breaks: string): number {
  return [...breaks].reduce((kept, char) => Math.max(kept, plain.lastIndexOf(char) + 1), 0)
}
