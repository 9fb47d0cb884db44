import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { lookup } from 'node:dns/promises'
import { isIP, type Socket } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import { CrmError } from '../../core/errors.ts'
import { isLoopback } from '../../core/http-rules.ts'
import { callError, NO_KEYS } from '../errors/failure.ts'
import { isTlsFailure, networkFailure } from '../errors/network-failure.ts'
import { oneLine } from '../errors/one-line.ts'
import type { Call } from '../transport/call.ts'
import { NoReply } from '../transport/exchange.ts'
import { chooseProxy } from '../transport/proxy.ts'
import { type Finding, failed, notAsked } from './finding.ts'
import { type ProbeTarget, probeLimitMs } from './probe.ts'

export interface Reach {
  readonly findings: readonly Finding[]
  readonly isOpen: boolean
}

const MIN_DIAL_MS = 1000

/** A certificate that expires within this time is a warning. */
const SOON_MS = 14 * 86_400_000

/** Resolves the name and connects like a request, and sends nothing. */
export async function checkReach(target: ProbeTarget): Promise<Reach> {
  const { baseUrl, env = {} } = target
  const proxy = chooseProxy(baseUrl, env)
  const begun = performance.now()
  try {
    const addresses = proxy ? [] : await resolve(target)
    const dialledMs = performance.now()
    const tls = await dial(target, probeLimitMs(target) - (dialledMs - begun))
    const tookMs = performance.now() - dialledMs
    const found = { addresses, connect_ms: Math.round(tookMs), proxy: proxy?.url.host ?? null }
    const reach: Finding = { check: 'reach', state: 'ok', seen: reachText(target, found), found }
    return { findings: [reach, tls], isOpen: true }
  } catch (error) {
    const failure = explain(target, error)
    if (!(error instanceof NoReply && isTlsFailure(error.cause))) {
      return { findings: [failed('reach', failure), notAsked('tls', 'no connection')], isOpen: false }
    }
    const found = { connect_ms: Math.round(performance.now() - begun), proxy: proxy?.url.host ?? null }
    const reach: Finding = { check: 'reach', state: 'ok', seen: `${baseUrl.host} accepts connections`, found }
    const certificate = proxy ? undefined : await peekCertificate(target)
    const tls = failed('tls', failure)
    const seen = certificate ? `${tls.seen}; it is ${certificateText(certificate)}` : tls.seen
    return { findings: [reach, { ...tls, seen, ...(certificate && { found: { ...certificate } }) }], isOpen: false }
  }
}

async function resolve(target: ProbeTarget): Promise<string[]> {
  try {
    const host = hostOf(target.baseUrl)
    const found = await within(lookup(host, { all: true }), { ...target, limitMs: probeLimitMs(target) })
    return found.map(({ address }) => address)
  } catch (error) {
    throw error instanceof Error && 'code' in error && !(error instanceof CrmError)
      ? new NoReply('network', false, error)
      : error
  }
}

/** Connects for a request that is given up before anything is sent. `leftMs`: the time left after resolving the name. */
async function dial(target: ProbeTarget, leftMs: number): Promise<Finding> {
  const { baseUrl } = target
  const limitMs = Math.max(MIN_DIAL_MS, leftMs)
  const { openDispatcher } = await import('../transport/undici-transport.ts')
  const { dispatcher, destroy } = await openDispatcher({ ...target, timeoutMs: limitMs }, 1)
  const { promise, resolve, reject } = Promise.withResolvers<Finding>()
  let connected: Socket | undefined
  const onConnected = (message: unknown) => {
    connected = (message as { readonly socket: Socket }).socket
  }
  // Behind a proxy, the connection to the proxy comes first.
  subscribe('undici:client:connected', onConnected)
  dispatcher.dispatch(
    { origin: baseUrl.origin, path: '/', method: 'GET' },
    {
      onRequestStart: (controller) => {
        if (connected) resolve(checkSocket(target, connected))
        controller.abort(new Error('connected'))
      },
      // undici refuses a handler without them; nothing is sent that could be answered.
      onResponseStart: () => {},
      onResponseData: () => {},
      onResponseEnd: () => {},
      onResponseError: (_controller, error) => reject(new NoReply('network', false, error)),
    },
  )
  try {
    return await within(promise, { ...target, limitMs })
  } finally {
    unsubscribe('undici:client:connected', onConnected)
    destroy()
  }
}

function explain({ baseUrl: url, serveDatabase, connector, terms, ...target }: ProbeTarget, error: unknown): CrmError {
  if (!(error instanceof NoReply)) throw error
  if (error.cause instanceof CrmError) return error.cause
  const call: Call = {
    method: 'GET',
    path: '/',
    action: `reach ${url.origin}`,
    command: 'crm doctor',
    findCommand: undefined,
  }
  const isServe = connector.document.offers !== undefined
  const at = { url, isServe, serveDatabase, timeoutMs: probeLimitMs(target), profile: terms.profile }
  const failure = networkFailure(call, error, at)
  return callError(call, failure, { tries: 1, isInDoubt: false, idempotencyKey: undefined, keys: NO_KEYS })
}

function reachText(
  { baseUrl }: ProbeTarget,
  { addresses, connect_ms: tookMs, proxy }: { addresses: string[]; connect_ms: number; proxy: string | null },
): string {
  const through = proxy === null ? '' : ` through the proxy ${proxy}`
  const isName = addresses.length > 0 && addresses[0] !== hostOf(baseUrl)
  return `${baseUrl.host}${isName ? ` is ${addresses.join(', ')}` : ''}, connected${through} in ${tookMs} ms`
}

function checkSocket({ baseUrl, now }: ProbeTarget, socket: Socket): Finding {
  const check = 'tls'
  if (baseUrl.protocol !== 'https:') {
    const found = { version: null }
    if (isLoopback(baseUrl.hostname)) {
      return { check, state: 'ok', seen: 'none: plain http, which does not leave this machine', found }
    }
    const hint = 'use https, so that no one on the network can read the key'
    return { check, state: 'warn', seen: 'none: plain http shows the key to the network', found, hint }
  }
  const tls = socket as TLSSocket
  const version = tls.getProtocol() ?? 'TLS'
  const certificate = certificateOf(tls)
  const found = { version, ...certificate }
  const seen = `${version}, ${certificateText(certificate)}`
  if (!endsSoon(certificate, now())) return { check, state: 'ok', seen, found }
  return { check, state: 'warn', seen, found, hint: 'ask the administrator of the server to renew its certificate' }
}

function endsSoon({ valid_until: until }: Certificate, nowMs: number): boolean {
  return until !== null && Date.parse(until) - nowMs < SOON_MS
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}

/** The result; NoReply after the time limit, CrmError `interrupted` if the signal aborts first. */
async function within<Result>(
  work: Promise<Result>,
  { limitMs, signal }: { readonly limitMs: number; readonly signal: AbortSignal },
): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new NoReply('timeout', false, undefined)), limitMs)
  const stop = () => reject(new CrmError('interrupted', 'interrupted', { cause: signal.reason, hint: 'crm doctor' }))
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}

type Certificate = {
  readonly subject: string | null
  readonly issuer: string | null
  /** RFC 3339, UTC. */
  readonly valid_until: string | null
}

function certificateOf(socket: TLSSocket): Certificate {
  const certificate = socket.getPeerX509Certificate()
  return {
    subject: nameIn(certificate?.subject),
    issuer: nameIn(certificate?.issuer),
    valid_until: certificate ? certificate.validToDate.toISOString() : null,
  }
}

/** `for crm.example.com, by Some Authority, valid until 2026-12-31`. */
function certificateText({ subject, issuer, valid_until: until }: Certificate): string {
  const parts = [`for ${subject ?? 'an unknown name'}`, `by ${issuer ?? 'an unknown issuer'}`]
  if (until !== null) parts.push(`valid until ${until.slice(0, 10)}`)
  return parts.join(', ')
}

/** Reads a certificate that crm refuses. Nothing is sent over the connection. */
async function peekCertificate(target: ProbeTarget): Promise<Certificate | undefined> {
  const { baseUrl } = target
  const host = baseUrl.hostname.replace(/^\[|\]$/g, '')
  const servername = isIP(host) ? {} : { servername: host }
  const socket = connect({ host, port: Number(baseUrl.port || 443), ...servername, rejectUnauthorized: false })
  try {
    return await new Promise((resolve) => {
      socket.setTimeout(probeLimitMs(target), () => resolve(undefined))
      socket.once('error', () => resolve(undefined))
      socket.once('secureConnect', () => resolve(certificateOf(socket)))
    })
  } finally {
    socket.destroy()
  }
}

/** The common name of a distinguished name, one attribute a line; without one, the whole text. */
function nameIn(lines: string | undefined): string | null {
  if (lines === undefined || lines === '') return null
  const name = /^CN=(.*)$/m.exec(lines)?.[1] ?? lines
  const organisation = /^O=(.*)$/m.exec(lines)?.[1]
  return oneLine(organisation === undefined || organisation === name ? name : `${name} (${organisation})`, 100)
}
