import { randomUUID } from 'node:crypto'

/** The client's own id when it is safe to repeat in headers and logs, else one that was made for this request. */
export function requestId(sent: string | string[] | undefined): string {
  return typeof sent === 'string' && /^[A-Za-z0-9._:-]{1,128}$/.test(sent) ? sent : `req_${randomUUID()}`
}
