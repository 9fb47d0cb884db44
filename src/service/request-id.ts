import { randomUUID } from 'node:crypto'

/** The client's own id when it is safe to repeat in headers and logs, and no secret, else one that was made for this request. */
export function requestId(sent: string | string[] | undefined): string {
  const isSafe = typeof sent === 'string' && /^[A-Za-z0-9._:-]{1,128}$/.test(sent) && !/crm_key_|whsec_/i.test(sent)
  return isSafe ? sent : `req_${randomUUID()}`
}
