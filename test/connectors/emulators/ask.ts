import type { Row } from './emulator.ts'

export interface Reply {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: a vendor's answer, which each test takes apart.
  readonly body: any
}

/** One request to an emulator; rejects where the answer was lost. */
export async function ask(
  url: string,
  line: string,
  { json, headers = {} }: { readonly json?: unknown; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<Reply> {
  const [method = '', path = ''] = line.split(' ')
  const content = json === undefined ? {} : { 'content-type': 'application/json' }
  const body = json === undefined ? {} : { body: JSON.stringify(json) }
  const response = await fetch(`${url}${path}`, { method, headers: { ...content, ...headers }, ...body })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text || undefined }
}

/** Every record of a list; `next` gives the request of the following page. */
export async function askAll(
  page: (cursor: unknown) => Promise<Reply>,
  take: (body: Row) => { readonly rows: readonly Row[]; readonly next: unknown },
): Promise<{ readonly rows: readonly Row[]; readonly pages: number }> {
  const rows: Row[] = []
  let cursor: unknown
  let pages = 0
  do {
    const taken = take((await page(cursor)).body)
    rows.push(...taken.rows)
    cursor = taken.next
    pages += 1
  } while (cursor !== undefined && cursor !== null)
  return { rows, pages }
}
