import { Rejection } from './rejection.ts'

/** Lower-case names, each with all values sent under it. */
export type HeaderValues = Readonly<Record<string, readonly string[] | undefined>>

/** The value of a header that must occur once: with two, sender and receiver could read different ones. */
export function onlyValue(headers: HeaderValues, name: string): string {
  const values = headers[name] ?? []
  if (values.length > 1) throw new Rejection('malformed_header', `${name} was sent ${values.length} times`)
  const [value = ''] = values
  if (value === '') throw new Rejection('malformed_header', `${name} is missing or empty`)
  return value
}

/** Headers of one connection (RFC 9110, 7.6.1), and headers that every sender sets itself. */
const OF_CONNECTION = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** The end-to-end headers in `rawHeaders` of node:http. */
export function endToEndHeaders(rawHeaders: readonly string[]): readonly (readonly [string, string])[] {
  const headers: [string, string][] = []
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.push([rawHeaders[at] ?? '', rawHeaders[at + 1] ?? ''])
  const named = headers.filter(([name]) => name.toLowerCase() === 'connection').flatMap(([, value]) => value.split(','))
  const others = named.map((name) => name.trim().toLowerCase())
  return headers.filter(([name]) => {
    const known = name.toLowerCase()
    return !OF_CONNECTION.has(known) && !others.includes(known)
  })
}
