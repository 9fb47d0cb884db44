import { createServer } from 'node:http'
import express from 'express'
import { rateLimit } from 'express-rate-limit'
import { listen } from './answering-server.ts'

/** The dialects of express-rate-limit, of which the last is the one before the drafts. */
export const DIALECTS = ['draft-6', 'draft-7', 'draft-8', 'legacy'] as const

export interface LimitedApp {
  readonly url: URL
  /** How many records were created and deleted, and how many requests were refused. */
  readonly counts: { created: number; deleted: number; refused: number }
}

/**
 * A foreign CRM: an express app behind express-rate-limit that creates and deletes contacts, and lists none. It keeps
 * idempotency keys, because clients of a busy machine repeat creates whose answer came late.
 */
export async function startLimitedApp(
  dialect: (typeof DIALECTS)[number],
  limit: number,
  windowMs: number,
): Promise<LimitedApp> {
  const counts = { created: 0, deleted: 0, refused: 0 }
  const app = express()
  app.use(
    rateLimit({
      limit,
      windowMs,
      standardHeaders: dialect === 'legacy' ? false : dialect,
      legacyHeaders: dialect === 'legacy',
      handler: (_request, response) => {
        counts.refused += 1
        response.status(429).json({ message: 'slow down' })
      },
    }),
  )
  for (const noun of ['contacts', 'deals'])
    app.get(`/v1/${noun}`, (_request, response) => response.json({ data: [], next_cursor: null }))
  const idByKey = new Map<string, string>()
  app.post('/v1/contacts', (request, response) => {
    const key = String(request.headers['idempotency-key'] ?? `request ${counts.created}`)
    const id = idByKey.get(key) ?? `con_${++counts.created}`
    idByKey.set(key, id)
    response.status(201).json({ id })
  })
  app.delete('/v1/contacts/:id', (_request, response) => {
    counts.deleted += 1
    response.status(204).end()
  })
  return { url: await listen(createServer(app)), counts }
}
