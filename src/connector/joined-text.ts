import { idText, type JsonValue } from '../core/json.ts'

/** `Ada King Lovelace` of `Ada` and `King Lovelace`; null when every part is empty. */
export function joinedText(parts: readonly (JsonValue | undefined)[]): string | null {
  const texts = parts.flatMap((part) => {
    const text = idText(part)
    return text === undefined || text === '' ? [] : [text]
  })
  return texts.length === 0 ? null : texts.join(' ')
}

/** Splits at the first spaces; the last part has the rest. Missing parts, after a lone word or before it, are empty. */
export function splitText(text: string, count: number, isLoneLast = false): readonly string[] {
  const words = text.split(' ')
  if (isLoneLast && words.length === 1) return [...Array.from({ length: count - 1 }, () => ''), text]
  return Array.from({ length: count }, (_, at) => (at < count - 1 ? (words[at] ?? '') : words.slice(at).join(' ')))
}

/**
 * Splits a text some of whose parts are known (`Anna Maria`, then the rest); undefined when they are no parts of it. Of more
 * than two parts, all or none must be known.
 */
export function splitAround(text: string, known: readonly (string | undefined)[]): readonly string[] | undefined {
  const parts = known.filter((part) => part !== undefined)
  if (parts.length === known.length) return (joinedText(parts) ?? '') === text ? parts : undefined
  const [first, last] = known
  if (known.length !== 2) return undefined
  if (first !== undefined)
    return text === first || text.startsWith(`${first} `) ? [first, text.slice(first.length + 1)] : undefined
  if (last === undefined) return undefined
  return text === last || text.endsWith(` ${last}`) ? [text.slice(0, -last.length - 1), last] : undefined
}
