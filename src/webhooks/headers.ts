import { Rejection } from './rejection.ts'

/** Names in lower case, each with every value that was sent under it. */
export type HeaderValues = Readonly<Record<string, readonly string[] | undefined>>

/** The value of a header that must be there once: of two, sender and receiver could each mean another one. */
export function onlyValue(headers: HeaderValues, name: string): string {
  const values = headers[name] ?? []
  if (values.length > 1) throw new Rejection('malformed_header', `${name} was sent ${values.length} times`)
  const [value = ''] = values
  if (value === '') throw new Rejection('malformed_header', `${name} is missing or empty`)
  return value
}
