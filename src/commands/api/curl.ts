import { shellWord } from '../../core/shell-word.ts'
import type { Request } from './request.ts'

/** The request as a command line that anyone may read: the key stands in it as the name of a variable. */
export function curlCommand({ method, headers, body, idempotencyKey }: Request, url: URL, keyHeader: string): string {
  const words = [
    'curl',
    '-sS',
    ...methodWords(method),
    shellWord(url.href),
    '-H',
    '"Authorization: Bearer $CRM_API_KEY"',
  ]
  for (let at = 0; at + 1 < headers.length; at += 2) words.push('-H', shellWord(`${headers[at]}: ${headers[at + 1]}`))
  if (idempotencyKey !== undefined) words.push('-H', shellWord(`${keyHeader}: ${idempotencyKey}`))
  if (body !== undefined) words.push('--data-raw', shellWord(body))
  return words.join(' ')
}

function methodWords(method: Request['method']): readonly string[] {
  if (method === 'GET') return []
  return method === 'HEAD' ? ['-I'] : ['-X', method]
}
