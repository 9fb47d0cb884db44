import { CrmError } from './errors.ts'

// What the address of a server may be, and a header that is not crm's own: of a connector, of `crm api -H` or of a setting.

/**
 * Parses the address of a server: scheme, host and an optional path prefix. CrmError `invalid_input` for any other text;
 * `field` names the source of the address (`CRM_BASE_URL`, `--base-url`).
 */
export function parseBaseUrl(text: string, field: string): URL {
  const url = URL.parse(text)
  const expected = `expected an address such as https://crm.example.com`
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    // A text with @ may hold a password.
    const shown = text.includes('@') ? '' : `: ${JSON.stringify(text)}`
    throw new CrmError('invalid_input', `${field} is not an http(s) address${shown}`, {
      hint: expected,
    })
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new CrmError('invalid_input', `${field} must not hold a user, a password, a query or a fragment`, {
      hint: expected,
    })
  }
  url.pathname = url.pathname.replace(/\/+$/, '')
  return url
}

/** A base URL as in the settings: without the slash of an empty path. */
export function baseUrlText({ href }: URL): string {
  return href.replace(/\/$/, '')
}

/** 127.0.0.0/8, ::1 and localhost: the only hosts that crm contacts by plain http without consent. */
export function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase()
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host)
}

/** The address at which this machine reaches its own listener: loopback for one that listens on all interfaces. */
export function reachableHere(listeningUrl: string): URL {
  const url = new URL(listeningUrl)
  if (url.hostname === '0.0.0.0' || url.hostname === '[::]') url.hostname = '127.0.0.1'
  return url
}

const PREFIX = /^(?:\/[\w.~-]+)+$/

export function isPathPrefix(text: string): boolean {
  return text.length <= 200 && PREFIX.test(text) && !/\/\.{1,2}(?:\/|$)/.test(text)
}

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

/** Headers by which frameworks take another method than the one of the request: a GET that deletes. */
const METHOD_OVERRIDE = /^x-(?:http-method|http-method-override|method-override)$/i

export function isMethodOverride(name: string): boolean {
  return METHOD_OVERRIDE.test(name)
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

/** Words in names of headers that hold a credential: X-Auth-Token, Api-Key. An idempotency key is none. */
const CREDENTIAL_WORD =
  /^(?:set-)?cookie2?$|(?:^|[-_])(?:authorization|token|secret|password|passwd|credentials?|jwt|apikey)(?:[-_]|$)|(?:^|[-_])auth$|[-_]?key$/i

/** Whether the value of this header, which no server states, is probably a secret. */
export function isCredentialName(name: string): boolean {
  return CREDENTIAL_WORD.test(name) && !/^idempotency[-_]?key$/i.test(name)
}
