import type { ApiOptions } from '../api/options.ts'
import { CrmError } from '../core/errors.ts'
import { isLoopback, parseBaseUrl } from '../core/http-rules.ts'
import { isJsonObject } from '../core/json.ts'
import { nearest } from '../core/nearest.ts'
import { checkKey } from '../settings/profile.ts'
import { parsePageSize } from '../settings/setting-values.ts'
import type { ClientOptions } from './client-types.ts'

declare const CRM_VERSION: string

const CLIENT_OPTIONS = Object.keys({
  baseUrl: true,
  apiKey: true,
  connector: true,
  connectorVariables: true,
  timeoutMs: true,
  maxWaitMs: true,
  signal: true,
  pageSize: true,
  allowInsecureHttp: true,
  onWait: true,
  env: true,
} satisfies Record<keyof ClientOptions, true>)

export type CheckedOptions = Omit<ApiOptions, 'baseUrl' | 'connector' | 'terms'> &
  Pick<ClientOptions, 'allowInsecureHttp' | 'connector' | 'pageSize'> & {
    /** Undefined: the connector states it. */
    readonly baseUrl: URL | undefined
    readonly variables: Readonly<Record<string, string>>
  }

/** CrmError `invalid_input` for options that would have no effect, or another one than meant. */
export function checkedOptions(options: ClientOptions): CheckedOptions {
  checkOptionNames(options)
  const { connector, connectorVariables = {}, allowInsecureHttp, env } = options
  const isStated = options.baseUrl === undefined && connector !== undefined
  const baseUrl = isStated ? undefined : parseBaseUrl(options.baseUrl ?? '', 'baseUrl')
  if (baseUrl) refuseInsecure(baseUrl, allowInsecureHttp)
  return {
    ...{ baseUrl, connector, allowInsecureHttp, env, variables: connectorVariables },
    key: checkKey(options.apiKey ?? '', 'apiKey'),
    pageSize: checkedPageSize(options.pageSize),
    timeoutMs: checkedMs('timeoutMs', options.timeoutMs ?? 30_000, 1),
    maxWaitMs: checkedMs('maxWaitMs', options.maxWaitMs ?? 60_000, 0),
    userAgent: `crm-cli/${CRM_VERSION} (library)`,
    signal: options.signal ?? new AbortController().signal,
    now: Date.now,
    debug: undefined,
    onWait: options.onWait,
  }
}

export function refuseInsecure(url: URL, isAllowed: boolean | undefined): void {
  if (url.protocol === 'https:' || isLoopback(url.hostname) || isAllowed) return
  throw new CrmError('usage', `${url.origin} is plain http, where anyone on the way can read the key`, {
    hint: 'use https, or allowInsecureHttp if that network is yours',
  })
}

/** Any sandbox is accepted, unless the name is that of another option. */
function checkOptionNames(options: ClientOptions): void {
  const given = isJsonObject(options) ? Object.keys(options) : []
  const slip = given.find((name) => isSlip(name))
  if (slip === undefined && isJsonObject(options)) return
  const fault = slip === undefined ? 'takes an object of options' : `takes no ${JSON.stringify(slip)}`
  throw new CrmError('invalid_input', `createClient ${fault}`, { hint: `expected ${CLIENT_OPTIONS.join(', ')}` })
}

/** `wire` was an option of earlier versions: what it said would no longer hold. */
function isSlip(name: string): boolean {
  return name === 'wire' || (!CLIENT_OPTIONS.includes(name) && nearest(name, CLIENT_OPTIONS) !== undefined)
}

function checkedPageSize(size: number | undefined): number | undefined {
  return size === undefined ? undefined : parsePageSize(String(size), 'pageSize')
}

/** A value that is not a time would end every call at once, or none. */
function checkedMs(name: string, value: number, leastMs: number): number {
  if (typeof value === 'number' && value >= leastMs) return value
  throw new CrmError('invalid_input', `${name} is ${String(value)}, which is no number of milliseconds`, {
    hint: `expected ${leastMs} or more`,
  })
}
