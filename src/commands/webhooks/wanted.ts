import { InvalidArgumentError } from 'commander'
import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { nearest } from '../../core/nearest.ts'
import { type CrmRecord, RECORD_RESOURCES } from '../../core/resources/registry.ts'
import { eventKinds, type ReceivedEvent } from '../../core/webhook-events.ts'
import { createEventCheck } from './event-members.ts'
import { eventRecord } from './event-record.ts'

export interface WantedEvents {
  isWanted(event: ReceivedEvent): Promise<boolean>
  /** CrmError `usage` for a member of `--where` that no event so far has, of those that match the globs. */
  slip(): CrmError | undefined
}

/** Filters by the globs and `--where`, which sees the members of a line of jsonl. */
export async function createWanted(ctx: Context, globs: readonly string[]): Promise<WantedEvents> {
  const { matchesAnyGlob } = await import('../../webhooks/event-filter.ts')
  const { where } = await ctx.expr()
  if (!where) return { isWanted: async ({ name }) => matchesAnyGlob(globs, name), slip: () => undefined }
  const check = await createEventCheck(ctx)
  const isTrue = batched(ctx, where.keep)
  return {
    isWanted: async (event) => {
      if (!matchesAnyGlob(globs, event.name)) return false
      const record = eventRecord(event)
      check.see([record])
      return isTrue(record)
    },
    slip: check.slip,
  }
}

type Keep = (records: readonly CrmRecord[]) => Promise<readonly CrmRecord[]>

/** A run of jq takes a millisecond for any number of records, so those that arrive meanwhile are evaluated together. */
function batched(ctx: Context, keep: Keep): (record: CrmRecord) => Promise<boolean> {
  let waiting: CrmRecord[] = []
  let next: Promise<ReadonlySet<CrmRecord>> | undefined
  let last: Promise<unknown> = Promise.resolve()
  const evaluate = createTolerant(ctx, keep)
  return async (record) => {
    waiting.push(record)
    next ??= last.then(() => {
      const records = waiting
      waiting = []
      next = undefined
      return evaluate(records)
    })
    last = next
    return (await next).has(record)
  }
}

/** Events that the expression fails on are left out; the first failure is noted. */
function createTolerant(
  ctx: Pick<Context, 'note'>,
  keep: Keep,
): (records: readonly CrmRecord[]) => Promise<ReadonlySet<CrmRecord>> {
  let isNoted = false
  const one = async (record: CrmRecord): Promise<readonly CrmRecord[]> => {
    try {
      return await keep([record])
    } catch (error) {
      if (!(error instanceof CrmError) || error.code === 'interrupted') throw error
      if (!isNoted) ctx.note(`${error.message}; events that it fails on are left out.`)
      isNoted = true
      return []
    }
  }
  return async (records) => {
    try {
      return new Set(await keep(records))
    } catch (error) {
      if (!(error instanceof CrmError) || error.code === 'interrupted') throw error
      const kept: CrmRecord[] = []
      for (const record of records) kept.push(...(await one(record)))
      return new Set(kept)
    }
  }
}

export function parseGlobs(text: string): readonly string[] {
  const globs = text.split(',').map((glob) => glob.trim())
  if (globs.every((glob) => /^[\w.*-]+$/.test(glob))) return globs
  throw new InvalidArgumentError("Expected names or globs such as 'deal.*,contact.created'.")
}

/** CrmError `usage` for names that crm serve does not have; for other senders, only a note. */
export async function checkGlobs(
  ctx: Pick<Context, 'note'>,
  globs: readonly string[],
  isForeign: boolean,
): Promise<void> {
  const { matchesAnyGlob } = await import('../../webhooks/event-filter.ts')
  for (const glob of globs) {
    if (eventKinds().some((kind) => matchesAnyGlob([glob], kind))) continue
    const meant = nearest(glob, [...eventKinds(), ...RECORD_RESOURCES.map((resource) => `${resource}.*`)])
    const what = `${glob} matches no event of crm serve`
    const known = `${meant === undefined ? '' : `did you mean ${meant}? `}there are ${eventKinds().join(', ')}`
    if (!isForeign) throw new CrmError('usage', what, { hint: known })
    ctx.note(`${what}: ${known}.`)
  }
}
