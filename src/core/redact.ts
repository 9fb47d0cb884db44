import { Buffer } from 'node:buffer'
import { type PlainReading, readPlainly, type Span, withoutSpaces } from './plain-reading.ts'

const SHOWN = '[redacted]'

/** Of a secret that is known, so many characters in a row are not shown. */
const FRAGMENT_CHARS = 8
/** Shorter ones would be found in every other word. */
const MIN_SECRET_CHARS = 4

/** What a secret looks like wherever it stands: bearer credentials, signing secrets, and this service's own keys. */
const SECRET_SHAPES = /\b(?:(bearer +)[^ "',;]+|whsec_[a-z0-9+/=_-]{8,}|crm_key_[a-z0-9_-]{8,})/gi

/** What many keys begin with: it is in manuals and in messages about keys. */
const PUBLIC_PREFIX = /^[a-z]{2,8}_(?:key|live|test|secret)_/

/** Base64 that stands around what was found. */
const BASE64_CHAR = /[A-Za-z0-9+/=_-]/

export interface Redactor {
  /** Of errors, reasons, headers and logs: secrets in every usual notation, parts of them, and what looks like one. */
  foreign(text: string): string
  /** Of records: the secret itself, escaped or not, and nothing else. */
  data(text: string): string
  /** Whether a secret is in it, unescaped. */
  holds(text: string): boolean
  /** Of our own words about a secret: as `foreign`, but for parts of it. */
  own(text: string): string
}

interface Secret {
  readonly text: string
  readonly lower: string
  readonly base64: readonly string[]
  readonly hex: string
  readonly fragments: readonly string[]
}

/** `secrets` are values in use, which need not look like anything. */
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

/** What looks like a secret, where none is known. */
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

/** Without the characters that depend on what stands before and behind it: `user:` may, of which only the length counts. */
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
    ...(isPartHidden ? fragmentSpans(lower, secret) : []),
  ])
  const shaped = [...reading.plain.matchAll(SECRET_SHAPES)].map(({ index, 0: { length }, 1: { length: kept } = '' }) =>
    spanOf(reading, index + kept, index + length),
  )
  return [...spans, ...shaped]
}

/** What begins like an escape may be the secret itself, such as `%41`. */
function literalSpans(text: string, secret: string): readonly Span[] {
  return indexesOf(text, secret).map((at) => [at, at + secret.length])
}

function found(reading: PlainReading, words: string): readonly Span[] {
  return indexesOf(reading.plain, words).map((at) => spanOf(reading, at, at + words.length))
}

/** Outside of whole secrets, each of which would match forty fragments. */
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

/** A text is read in parts, so that one of 64 MiB takes no gigabytes; a secret with all its escapes fits into the overlap. */
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

/** Escapes that can hide a character, besides notations that hardly any encoder of JSON uses. */
const HIDING_ESCAPE = /\\u(?:00[0-7]|00ad|200[b-f]|202[a-e]|206|feff)/i
/** Free in a text of Latin letters, which has none of them. */
const NOT_DRAWN = /[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/

function replaceInData(text: string, { text: secret }: Secret): string {
  const clean = text.includes(secret) ? text.replaceAll(secret, SHOWN) : text
  return isHiding(clean, secret) ? replaceSpans(clean, (part) => found(readPlainly(part), secret)) : clean
}

/** Each answer is asked this, so that what is searched first is what costs least. */
function isHiding(text: string, secret: string): boolean {
  if (text.includes('\\u') && HIDING_ESCAPE.test(text)) return true
  if (text.includes('\u00ad') || NOT_DRAWN.test(text)) return true
  return /["/\\]/.test(secret) && text.includes('\\')
}
