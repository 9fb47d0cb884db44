import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'

export type Person = Record<string, unknown> & { id: string }

export interface ForeignServer {
  /** Method, path and body of each request, in order of arrival. */
  readonly requests: { readonly method: string; readonly url: string; readonly body: string }[]
  close(): Promise<void>
}

const PAGE = 5
/** Of the connector: its own names of an id, a name and an email. */
const NAMES = { id: 'key', name: 'title', email: 'mail' }

interface Answer {
  readonly status: number
  readonly value?: unknown
}

/**
 * A server without idempotency keys: `/v1/contacts`, whose records stand in `payload.rows` of numbered pages (for a profile with
 * `wire.*`), and the same people under `/people` with other names (for a connector of format 1).
 */
export async function startForeignServer(port: number, people: Person[]): Promise<ForeignServer> {
  const requests: ForeignServer['requests'][number][] = []
  let next = people.length + 1
  const server = createServer(async (incoming, answer) => {
    const { method = 'GET', url = '/' } = incoming
    const body = await text(incoming)
    requests.push({ method, url, body })
    const { status, value } = respond(method, new URL(url, 'http://any'), body)
    answer.writeHead(status, { 'content-type': 'application/json' })
    answer.end(value === undefined ? undefined : JSON.stringify(value))
  })

  function respond(method: string, { pathname, searchParams }: URL, body: string): Answer {
    const [, shape, id] = /^\/(v1\/contacts|people)(?:\/([^/]+))?$/.exec(pathname) ?? []
    if (shape === undefined) return { status: 404, value: { error: `there is no ${pathname}` } }
    const isOther = shape === 'people'
    const shown = (person: Person) => (isOther ? renamed(person, NAMES) : person)
    const stored = () => (isOther ? renamed(JSON.parse(body), inverse(NAMES)) : JSON.parse(body))
    if (id !== undefined) return one(method, id, { shown, stored })
    if (method === 'GET') {
      const from = (Number(searchParams.get('p') ?? 1) - 1) * PAGE
      const rows = people.slice(from, from + PAGE).map(shown)
      return { status: 200, value: { payload: { rows, total: people.length } } }
    }
    const person = { ...stored(), id: `p${next++}` }
    people.push(person)
    return { status: 201, value: shown(person) }
  }

  function one(method: string, id: string, { shown, stored }: Conversion): Answer {
    const at = people.findIndex((person) => person.id === id)
    const person = people[at]
    if (!person) return { status: 404, value: { error: `there is no ${id}` } }
    if (method === 'GET') return { status: 200, value: shown(person) }
    if (method === 'DELETE') {
      people.splice(at, 1)
      return { status: 204 }
    }
    const changed = { ...person, ...stored(), id }
    people[at] = changed
    return { status: 200, value: shown(changed) }
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

interface Conversion {
  shown(person: Person): unknown
  stored(): Record<string, unknown>
}

function renamed(record: Record<string, unknown>, names: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [names[name] ?? name, value]))
}

function inverse(names: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(names).map(([name, other]) => [other, name]))
}
