import { Buffer } from 'node:buffer'
import { type PlainReading, readPlainly, type Span, withoutSpaces } from './plain-reading.ts'

const SHOWN = '[redacted]'

/** The length from which a part of a known secret is redacted, too. */
const FRAGMENT_CHARS = 8
/** Shorter secrets would match ordinary words. */
const MIN_SECRET_CHARS = 4

/** Texts that look like secrets: bearer credentials, signing secrets, and keys of `crm serve`. "a bearer token" is none. */
const SECRET_SHAPES =
  /\b(?:(bearer +)(?!(?:is|are|tokens?|auth|authentication|authorization|credentials?|keys?|scheme)(?=[.:]?(?:[\s"',;)]|$)))[^ "',;]+|whsec_[a-z0-9+/=_-]{8,}|crm_key_[a-z0-9_-]{8,})/gi

/** Prefixes of many keys, which also occur in manuals and in messages about keys. */
const PUBLIC_PREFIX = /^[a-z]{2,8}_(?:key|live|test|secret)_/

/** The base64 characters around a match. */
const BASE64_CHAR = /[A-Za-z0-9+/=_-]/

export interface Redactor {
  /** For errors, reasons, headers and logs: redacts secrets in every usual notation, parts of them, and texts that look like one. */
  foreign(text: string): string
  /** For records: redacts only the secret itself, escaped or not. */
  data(text: string): string
  /** Whether the text contains a secret, unescaped. */
  holds(text: string): boolean
  /** For crm's own messages about a secret: as `foreign`, but keeps parts of it. */
  own(text: string): string
}

interface Secret {
  readonly text: string
  readonly lower: string
  readonly base64: readonly string[]
  readonly hex: string
  readonly fragments: readonly string[]
}

/** `secrets` are values in use, of any form. */
export function createRedactor(secrets: Iterable<string>): Redactor {
  const known = [...secrets].filter((secret) => secret.length >= MIN_SECRET_CHARS).map(describe)
  const replaceAll = (text: string, isPartHidden: boolean) =>
    replaceSpans(text, (part) => foreignSpans(part, known, isPartHidden))
  return {
    foreign: (text) => replaceAll(text, true),
    own: (text) => replaceAll(text, false),
    data: (text) => known.reduce(replaceInData, text),
    holds: (text) => known.some((secret) => text.includes(secret.text)),
  }
}

/** The same for a set that grows. */
export function createGrowingRedactor(secrets: ReadonlySet<string>): Redactor {
  let known = 0
  let redactor = createRedactor([])
  const current = () => {
    if (secrets.size !== known) redactor = createRedactor(secrets)
    known = secrets.size
    return redactor
  }
  return {
    foreign: (text) => current().foreign(text),
    own: (text) => current().own(text),
    data: (text) => current().data(text),
    holds: (text) => current().holds(text),
  }
}

/** Redacts texts that look like a secret, when none is known. */
export const redactShapes: (text: string) => string = createRedactor([]).foreign

function describe(text: string): Secret {
  const isLong = text.length >= FRAGMENT_CHARS
  const lower = text.toLowerCase()
  return {
    text,
    lower,
    base64: isLong ? base64Forms(text) : [],
    hex: isLong ? Buffer.from(text).toString('hex') : '',
    fragments: isLong ? fragmentsOf(lower, PUBLIC_PREFIX.exec(text)?.[0].length ?? 0) : [],
  }
}

function fragmentsOf(text: string, prefixChars: number): readonly string[] {
  const first = Math.max(0, prefixChars - FRAGMENT_CHARS + 1)
  const starts = Array.from({ length: Math.max(0, text.length - FRAGMENT_CHARS + 1 - first) }, (_, at) => first + at)
  const fragments = starts.map((start) => text.slice(start, start + FRAGMENT_CHARS))
  return prefixChars === 0 ? fragments : [text.slice(0, prefixChars + 1), ...fragments]
}

/** Its base64 at each offset, without the characters that depend on the text around it, such as `user:` before it. */
function base64Forms(text: string): readonly string[] {
  const forms = [0, 1, 2].map((before) => {
    const encoded = Buffer.from(' '.repeat(before) + text).toString('base64')
    return encoded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + text.length) * 8) / 6))
  })
  return [...new Set(forms.flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')]))]
}

function foreignSpans(text: string, known: readonly Secret[], isPartHidden: boolean): readonly Span[] {
  const reading = readPlainly(text)
  const tight = withoutSpaces(reading)
  const lower = { ...tight, plain: tight.plain.toLowerCase() }
  const spans = known.flatMap((secret) => [
    ...literalSpans(text, secret.text),
    ...found(lower, secret.lower),
    ...(secret.hex === '' ? [] : found(lower, secret.hex)),
    ...secret.base64.flatMap((form) => [...base64Spans(reading, form), ...found(tight, form)]),
    ...(isPartHidden ? [...fragmentSpans(lower, secret), ...literalFragments(text, secret)] : []),
  ])
  const shaped = [...reading.plain.matchAll(SECRET_SHAPES)].map(({ index, 0: { length }, 1: { length: kept } = '' }) =>
    spanOf(reading, index + kept, index + length),
  )
  return [...spans, ...shaped]
}

/** A secret may itself contain an escape, such as `%41`. */
function literalSpans(text: string, secret: string): readonly Span[] {
  return indexesOf(text, secret).map((at) => [at, at + secret.length])
}

function found(reading: PlainReading, words: string): readonly Span[] {
  return indexesOf(reading.plain, words).map((at) => spanOf(reading, at, at + words.length))
}

/** Also as they stand: of a part with `<`, the plain reading may take the end for a tag. */
function literalFragments(text: string, { lower, fragments }: Secret): readonly Span[] {
  const words = text.toLowerCase().replaceAll(lower, '\ufffd'.repeat(lower.length))
  return fragments.flatMap((fragment) => indexesOf(words, fragment).map((at): Span => [at, at + fragment.length]))
}

/** Searches outside whole secrets, each of which would match forty fragments. */
function fragmentSpans(reading: PlainReading, { lower, fragments }: Secret): readonly Span[] {
  const rest = { ...reading, plain: reading.plain.replaceAll(lower, '\ufffd'.repeat(lower.length)) }
  return fragments.flatMap((fragment) => found(rest, fragment))
}

function base64Spans(reading: PlainReading, form: string): readonly Span[] {
  const { plain } = reading
  const spans: Span[] = []
  let done = 0
  for (const at of indexesOf(plain, form)) {
    if (at < done) continue
    let [start, end] = [at, at + form.length]
    while (start > done && BASE64_CHAR.test(plain.charAt(start - 1))) start--
    while (end < plain.length && BASE64_CHAR.test(plain.charAt(end))) end++
    spans.push(spanOf(reading, start, end))
    done = end
  }
  return spans
}

function indexesOf(text: string, words: string): readonly number[] {
  const indexes: number[] = []
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) indexes.push(at)
  return indexes
}

function spanOf({ spanAt }: PlainReading, from: number, to: number): Span {
  return [spanAt(from)[0], spanAt(to - 1)[1]]
}

/** A text is read in parts, because one of 64 MiB would need gigabytes; a secret with all its escapes fits into the overlap. */
const PART_CHARS = 64 * 1024
const OVERLAP_CHARS = 4 * 1024

function replaceSpans(text: string, spansIn: (part: string) => readonly Span[]): string {
  const spans: Span[] = []
  for (let offset = 0; offset === 0 || offset + OVERLAP_CHARS < text.length; offset += PART_CHARS - OVERLAP_CHARS)
    for (const [start, end] of spansIn(text.slice(offset, offset + PART_CHARS)))
      spans.push([offset + start, offset + end])
  if (spans.length === 0) return text
  let clean = ''
  let done = -1
  for (const [start, end] of spans.toSorted(([one], [other]) => one - other)) {
    if (start > done) clean += text.slice(Math.max(0, done), start) + SHOWN
    done = Math.max(done, end)
  }
  return clean + text.slice(done)
}

/** Escapes that can hide a character, except notations that JSON encoders rarely use. */
const HIDING_ESCAPE = /\\u(?:00[0-7]|00ad|200[b-f]|202[a-e]|206|feff)/i
/** Costs nothing in a text of Latin letters, which has no such characters. */
const NOT_DRAWN = /[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/

function replaceInData(text: string, { text: secret }: Secret): string {
  const clean = text.includes(secret) ? text.replaceAll(secret, SHOWN) : text
  return isHiding(clean, secret) ? replaceSpans(clean, (part) => found(readPlainly(part), secret)) : clean
}

/** Called for every answer, so the cheapest search comes first. */
function isHiding(text: string, secret: string): boolean {
  if (text.includes('\\u') && HIDING_ESCAPE.test(text)) return true
  if (text.includes('\u00ad') || NOT_DRAWN.test(text)) return true
  return /["/\\]/.test(secret) && text.includes('\\')
}
