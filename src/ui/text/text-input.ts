import { CrmError } from '../../core/errors.ts'

/** A line being edited; `cursor` is the number of graphemes before it. */
export type TextInput = { readonly graphemes: readonly string[]; readonly cursor: number }

export function textInput(text = ''): TextInput {
  const graphemes = graphemesOf(text)
  return { graphemes, cursor: graphemes.length }
}

export function inputText({ graphemes }: TextInput): string {
  return graphemes.join('')
}

export function textBeforeCursor({ graphemes, cursor }: TextInput): string {
  return graphemes.slice(0, cursor).join('')
}

type Place = (input: TextInput) => number
type Edits = Readonly<Record<string, (input: TextInput) => TextInput>>

const AT: Place = ({ cursor }) => cursor
const START: Place = () => 0
const END: Place = ({ graphemes }) => graphemes.length
const BEFORE: Place = ({ cursor }) => Math.max(0, cursor - 1)
const AFTER: Place = ({ graphemes, cursor }) => Math.min(graphemes.length, cursor + 1)

const EDITS: Edits = {
  ...{ left: to(BEFORE), right: to(AFTER), home: to(START), 'ctrl-a': to(START), end: to(END), 'ctrl-e': to(END) },
  ...{ 'alt-b': to(wordStart), 'alt-f': to(wordEnd), backspace: cut(BEFORE, AT), delete: cut(AT, AFTER) },
  ...{ 'ctrl-d': cut(AT, AFTER), 'alt-d': cut(AT, wordEnd), 'ctrl-w': cut(wordStart, AT) },
  ...{ 'ctrl-u': cut(START, AT), 'ctrl-k': cut(AT, END) },
}

/** The keys of every field, by chord; undefined for a chord that edits nothing. */
export function editText(input: TextInput, chord: string): TextInput | undefined {
  return Object.hasOwn(EDITS, chord) ? EDITS[chord]?.(input) : undefined
}

function to(place: Place) {
  return (input: TextInput): TextInput => ({ graphemes: input.graphemes, cursor: place(input) })
}

function cut(from: Place, until: Place) {
  return (input: TextInput): TextInput => {
    const cursor = from(input)
    return { graphemes: input.graphemes.toSpliced(cursor, until(input) - cursor), cursor }
  }
}

/** Inserts typed or pasted text; tabs become spaces, and line ends too, unless the text has lines. */
export function insertText({ graphemes, cursor }: TextInput, text: string, hasLines = false): TextInput {
  const line = text.replace(/\r\n|\r/g, '\n').replaceAll('\t', ' ')
  const before = graphemes.slice(0, cursor).join('') + (hasLines ? line : line.replaceAll('\n', ' '))
  const after = graphemes.slice(cursor).join('')
  // A typed combining mark joins the letter before it.
  return { graphemes: graphemesOf(before + after), cursor: graphemesOf(before).length }
}

function wordStart({ graphemes, cursor }: TextInput): number {
  let at = cursor
  while (at > 0 && graphemes[at - 1] === ' ') at--
  while (at > 0 && graphemes[at - 1] !== ' ') at--
  return at
}

function wordEnd({ graphemes, cursor }: TextInput): number {
  let at = cursor
  while (at < graphemes.length && graphemes[at] === ' ') at++
  while (at < graphemes.length && graphemes[at] !== ' ') at++
  return at
}

function graphemesOf(text: string): readonly string[] {
  if (/^[\x20-\x7e]*$/.test(text)) return text.split('')
  const segments = new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text)
  return Array.from(segments, ({ segment }) => segment)
}

export function refusalOf(check: () => unknown): string | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    if (!(error instanceof CrmError)) throw error
    return `${error.message}; ${error.details.hint}`
  }
}

/** The texts that Tab takes in turn, and which was taken last. */
export type Taking = { readonly options: readonly string[]; readonly index: number }

export interface Completable {
  readonly taking?: Taking | undefined
  /** The texts that the typed beginning can become. */
  readonly complete?: ((text: string) => readonly string[]) | undefined
  /** Where the part of a text begins that is shown of it; undefined: the last word. */
  readonly wordStart?: ((text: string) => number) | undefined
}

export type Taken = { readonly text: string; readonly taking: Taking | undefined }

/** The first Tab adds what all completions begin with; if that is nothing, each takes the next of them. */
export function takeCompletion(text: string, { taking, complete }: Completable, step: 1 | -1): Taken | undefined {
  if (taking) {
    const { options, index } = taking
    const next = (index + step + options.length) % options.length
    return { text: options[next] ?? text, taking: { options, index: next } }
  }
  const options = complete?.(text) ?? []
  const [first] = options
  if (first === undefined) return undefined
  const common = commonStart(options)
  if (options.length === 1 || common.length > text.length) return { text: common, taking: undefined }
  return { text: first, taking: { options, index: 0 } }
}

function commonStart(texts: readonly string[]): string {
  return texts.reduce((common, text) => {
    let length = 0
    while (length < common.length && common[length] === text[length]) length++
    return common.slice(0, length)
  })
}
