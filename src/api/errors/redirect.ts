import { type Call, isWrite, makesAnother } from '../transport/call.ts'
import type { Reply } from '../transport/exchange.ts'
import { idInLocation } from '../writes/shown-record.ts'
import { oneLine } from './one-line.ts'

/**
 * RFC 9110, 15.4.2 to 15.4.4. Web frameworks send them after a POST, PATCH or DELETE that they handled. 307 and 308 ask
 * for the same method at another address: the request was not handled.
 */
const AFTER_HANDLING = [301, 302, 303]

const LOGIN_PAGE = /^(?:wp-|user[-_]?)?(?:log[-_]?in|sign[-_]?in|auth|oauth2?|sso)(?:\.\w+)?$/i

/** Whether a write that is answered with a redirect may have taken effect. `base` is the address of the server. */
export function mayFollowHandling(call: Call, reply: Reply, base: URL): boolean {
  const { status, headers } = reply
  if (!isWrite(call) || !AFTER_HANDLING.includes(status) || reply.isSlashLoop) return false
  // RFC 9110, 15.4.4: done, with the result at that address.
  if (status === 303 && makesAnother(call) && idInLocation(headers, call.path) !== undefined) return true
  const target = targetOf(reply, base)
  if (target === null) return true
  return isOwn(target, base) ? !isLoginPage(target, call, base) : isNear(target, call)
}

/** Behind a proxy that ends TLS, applications often name their own address with http. */
function isOwn({ origin, protocol, hostname }: URL, base: URL): boolean {
  return origin === base.origin || (protocol === 'http:' && base.protocol === 'https:' && hostname === base.hostname)
}

/** The part of the path that the request has as well is no sign of a login page. */
function isLoginPage(target: URL, call: Call, base: URL): boolean {
  const asked = segmentsOf(base.pathname + call.path)
  const steps = segmentsOf(target.pathname)
  const from = steps.findIndex((step, at) => step !== asked[at])
  return from >= 0 && steps.slice(from).some((step) => LOGIN_PAGE.test(step))
}

/** On another origin: the created record, or the list of the changed one. Any other path, such as the same one, is a moved API. */
function isNear(target: URL, { method, path }: Call): boolean {
  const [last, parent] = segmentsOf(target.pathname).reverse()
  const [askedLast, askedParent] = segmentsOf(path).reverse()
  return method === 'POST' ? parent !== undefined && parent === askedLast : last !== undefined && last === askedParent
}

function segmentsOf(path: string): string[] {
  return (path.split('?')[0] ?? '').split('/').filter(Boolean)
}

function targetOf({ headers }: Reply, base: URL): URL | null {
  return headers.location === undefined ? null : URL.parse(headers.location, base.href)
}

export function redirectReason(reply: Reply, base: URL): string {
  const target = targetOf(reply, base)
  return `${base.origin} redirects to ${target ? placeOf(target, base) : 'nowhere'} (${reply.status}), and redirects are never followed`
}

function placeOf(target: URL, { origin }: URL): string {
  return target.origin === origin ? oneLine(target.pathname, 100) : `${target.protocol}//${target.host}`
}
