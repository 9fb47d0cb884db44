import { readFile } from 'node:fs/promises'
import { InvalidArgumentError } from 'commander'
import { durationText, MAX_DURATION_MS, parseDurationMs } from '../../core/duration.ts'
import { CrmError } from '../../core/errors.ts'
import type { Tls } from '../../service/http-server.ts'
import type { RateLimit } from '../../service/rate-limit.ts'
import { readFault } from '../../settings/read-input.ts'

/** `1000/10s`, or `none`. */
export function parseRateLimit(text: string): RateLimit | undefined {
  const rate = parseKeyRate(text)
  return rate === 'none' ? undefined : rate
}

/** The same for one key; `none` differs from no rate, which means that of the service. */
export function parseKeyRate(text: string): RateLimit | 'none' {
  if (text === 'none') return text
  const [requests = '', window = ''] = text.split('/')
  const windowMs = parseDurationMs(window)
  if (!/^[1-9]\d{0,8}$/.test(requests) || !windowMs || windowMs < 1000) {
    throw new InvalidArgumentError('Expected requests and a time of 1s or more, such as 1000/10s, or none.')
  }
  if (windowMs > MAX_DURATION_MS) throw new InvalidArgumentError(`Expected ${durationText(MAX_DURATION_MS)} at most.`)
  return { requests: Number(requests), windowMs }
}

export function parsePort(text: string): number {
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port
  throw new InvalidArgumentError('Expected a port from 0 to 65535.')
}

/** `0,1s,5s`: the delay before each attempt, in milliseconds; the first is 0. */
export function parseRetrySchedule(text: string): readonly number[] {
  const delaysMs = text.split(',').map(parseDurationMs)
  const known = delaysMs.filter((delayMs) => delayMs !== undefined)
  if (known.length === delaysMs.length && known[0] === 0) return known
  throw new InvalidArgumentError('Expected times that begin with 0, such as 0,5s,5m.')
}

/** Both files or none; undefined is plain http. */
export async function readTls(files: { tlsCert?: string; tlsKey?: string }): Promise<Tls | undefined> {
  const { tlsCert, tlsKey } = files
  if (tlsCert === undefined && tlsKey === undefined) return undefined
  if (tlsCert === undefined || tlsKey === undefined) {
    throw new CrmError('usage', 'https needs a certificate and its private key', {
      hint: 'give both --tls-cert FILE and --tls-key FILE',
    })
  }
  return { cert: await readPem(tlsCert, '--tls-cert'), key: await readPem(tlsKey, '--tls-key') }
}

async function readPem(path: string, flag: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (cause) {
    throw new CrmError('invalid_input', `cannot read ${flag} ${path}: ${readFault(cause)}`, {
      cause,
      hint: 'name a PEM file that can be read',
    })
  }
}
