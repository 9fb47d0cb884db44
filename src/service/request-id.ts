import { randomUUID } from 'node:crypto'

/** The id sent by the client, if it is safe in headers and logs and not a secret; otherwise a new one. */
export function requestId(sent: string | string[] | undefined): string {
  const isSafe = typeof sent === 'string' && /^[A-Za-z0-9._:-]{1,128}$/.test(sent) && !/crm_key_|whsec_/i.test(sent)
  return isSafe ? sent : `req_${randomUUID()}`
}
