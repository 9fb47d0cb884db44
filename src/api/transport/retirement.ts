import type { IncomingHttpHeaders } from 'node:http'
import type { Redactor } from '../../core/redact.ts'
import type { ApiOptions } from '../options.ts'
import { readLinks } from '../pages/links.ts'
import type { Call } from './call.ts'

/** Reports once that an answer announces deprecation or removal. */
export function createRetirementWatch(options: Pick<ApiOptions, 'baseUrl' | 'onNotice'>, { foreign }: Redactor) {
  let isReported = false
  return async (call: Call, headers: IncomingHttpHeaders | undefined): Promise<void> => {
    if (isReported || !options.onNotice || !(headers?.deprecation || headers?.sunset)) return
    const text = readRetirement(headers)
    if (text === undefined) return
    isReported = true
    const { host, origin } = options.baseUrl
    await options.onNotice({ host, text: `${call.method} ${call.path} of ${origin}: ${foreign(text)}` })
  }
}

/** RFC 9745 and RFC 8594 as one clause; undefined if neither header is valid. */
export function readRetirement(headers: IncomingHttpHeaders): string | undefined {
  const parts = [readDeprecation(String(headers.deprecation ?? '')), readSunset(String(headers.sunset ?? ''))]
  const known = parts.filter((part) => part !== undefined)
  if (known.length === 0) return undefined
  const links = readLinks(headers.link)
  const successor = links.get('successor-version')
  const about = links.get('deprecation') ?? links.get('sunset')
  if (successor !== undefined) known.push(`successor: ${successor}`)
  if (about !== undefined) known.push(`details: ${about}`)
  return known.join(', ')
}

/** A date of RFC 9651 (`@1688169599`); drafts before RFC 9745 had `true` and HTTP dates. */
function readDeprecation(text: string): string | undefined {
  if (/^\s*\??(?:true|1)\s*$/i.test(text)) return 'deprecated'
  const seconds = /^\s*@(-?\d{1,11})\s*$/.exec(text)?.[1]
  const day = dayOf(seconds === undefined ? Date.parse(text) : Number(seconds) * 1000)
  return day === undefined ? undefined : `deprecated as of ${day}`
}

function readSunset(text: string): string | undefined {
  const day = dayOf(Date.parse(text))
  return day === undefined ? undefined : `available until ${day}`
}

function dayOf(timeMs: number): string | undefined {
  const date = new Date(timeMs)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString().slice(0, 10)
}
