import type { Service } from './service.ts'

type Json = Record<string, unknown>

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Json
}

/** A request past the CLI, for what a test starts from and for what it looks at afterwards. */
export async function ask(
  { url, key }: Pick<Service, 'url' | 'key'>,
  request: { method?: string; path: string; body?: Json; headers?: Record<string, string> },
): Promise<Answer> {
  const { method = 'GET', path, body, headers } = request
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) }
}

/** Makes records one after the other, so that the last is the newest; their ids in that order. */
export async function make(service: Service, path: string, bodies: readonly Json[]): Promise<string[]> {
  const ids: string[] = []
  for (const body of bodies) {
    const answer = await ask(service, { method: 'POST', path, body })
    if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
    ids.push(String(answer.body.id))
  }
  return ids
}

/** What the service holds, newest first; at most 500. */
export async function all(service: Service, path: string): Promise<Json[]> {
  const { body } = await ask(service, { path: `${path}?limit=500` })
  return body.data as Json[]
}
