// What a header may be that is not crm's own: those of connectors, of `crm api -H` and of settings.

/** RFC 9110 section 5.6.2, as the text of a regular expression. */
export const HEADER_NAME = String.raw`^[!#$%&'*+.^_\u0060|~0-9A-Za-z\-]+$`

const NAME = new RegExp(HEADER_NAME, 'u')

/** RFC 9110 section 5.5, without the octets beyond ASCII, whose meaning differs between servers. */
const VALUE = /^[\t\x20-\x7e]*$/

/** Headers of one message and one connection: the transport sets them. */
const TRANSPORT =
  /^(?:host|content-length|transfer-encoding|connection|keep-alive|te|trailer|upgrade|expect|http2-settings|proxy-.*)$/i

/** Headers with a meaning for every request: no key and no name of another purpose can stand in them. */
const RESERVED = /^(?:accept|content-type|user-agent|if-match)$/i

export function isHeaderName(text: string): boolean {
  return NAME.test(text)
}

export function isHeaderValue(text: string): boolean {
  return VALUE.test(text)
}

/** Whether only the transport sets this header. */
export function isTransportHeader(name: string): boolean {
  return TRANSPORT.test(name)
}

/** Whether the header has its meaning already, beside those of the transport. */
export function isReservedHeader(name: string): boolean {
  return RESERVED.test(name)
}

/** Whether the header carries who sends the request. */
export function isCredentialHeader(name: string): boolean {
  return /^(?:authorization|cookie)$/i.test(name)
}
