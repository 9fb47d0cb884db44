import type { Context } from '../../context.ts'
import { type JsonObject, type JsonValue, parseExactJson } from '../../core/json.ts'
import { sentValueText } from '../../core/other-values.ts'
import { isListed, type Resource } from '../../core/resources/registry.ts'
import type { SendOutcome } from '../../jobs/send/send-outcome.ts'
import type { Task } from '../../jobs/send/tasks.ts'
import { lackingValues } from '../records/kept-values.ts'

interface First {
  readonly id: string
  readonly where: string
  readonly sent: JsonValue
  rows: number
}

/** The sent values that the answers to the rows of a job do not show. One record for each of them is read again. */
export class UnshownValues {
  readonly #byName = new Map<string, First>()

  take({ operation: { body, head } }: Task, outcome: SendOutcome): void {
    if (outcome.type !== 'done' || !outcome.absent || outcome.id === null || !body) return
    const { id } = outcome
    let sent: JsonObject | undefined
    for (const name of outcome.absent) {
      const known = this.#byName.get(name)
      if (known) {
        known.rows += 1
        continue
      }
      sent ??= parseExactJson(body.toString('utf8')) as JsonObject
      const where = head.line === undefined ? id : `line ${head.line}`
      this.#byName.set(name, { id, where, sent: sent[name] ?? null, rows: 1 })
    }
  }

  /** Notes those that the records lack, too. */
  async note(ctx: Pick<Context, 'api' | 'note'>, resource: Resource | undefined): Promise<void> {
    if (this.#byName.size === 0 || resource === undefined || !isListed(resource)) return
    const api = await ctx.api()
    for (const [name, { id, where, sent, rows }] of this.#byName) {
      const { names, isRead } = await lackingValues(api, { resource, id, sent: { [name]: sent } })
      if (names.length === 0) continue
      const [inRows, shows] = [rows === 1 ? '1 row' : `${rows} rows`, isRead ? `record ${id}` : 'answer']
      ctx.note(
        `The answers do not show a value that was sent in ${inRows}; first: ${where}, ${sentValueText(name, sent)}, which the ${shows} lacks`,
      )
    }
  }
}
