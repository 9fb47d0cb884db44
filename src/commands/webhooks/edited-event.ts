import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { exactDigits, isJsonObject, type JsonObject, parseJsonAsWritten, valueAt } from '../../core/json.ts'
import { shellWord } from '../../core/shell-words.ts'
import type { ReceivedEvent } from '../../core/webhook-events.ts'
import { applySet, textForNumber } from '../fields-input.ts'
import { refuseUnknownMember } from './known-members.ts'
import { newEventId } from './made-event.ts'

/** Flags that change an event before it is sent. */
export interface EditFlags {
  readonly set?: readonly string[]
  readonly setNew?: readonly string[]
  readonly edit?: true
}

export function isEdit({ set, setNew, edit }: EditFlags): boolean {
  return set !== undefined || setNew !== undefined || edit === true
}

/**
 * The event with other members, and with a new id, so that no receiver takes it for the one that it knows. CrmError
 * `usage` for a body that is no JSON object, and for an editor that changed nothing.
 */
export async function editEvent(
  ctx: Pick<Context, 'env' | 'note' | 'now'>,
  event: ReceivedEvent,
  { set = [], setNew = [], edit }: EditFlags,
): Promise<ReceivedEvent> {
  const known = event.id ?? 'an event without an id'
  let body = bodyOf(event, known)
  const target = { event: event.name ?? '', object: body, recordPaths: ['data', 'previous'] }
  for (const text of set) refuseUnknownMember(target, text)
  for (const text of set) applySet(body, asInEvent(body, text))
  for (const text of setNew) applySet(body, text, undefined, '--set-new')
  if (edit) body = await inEditor(ctx, body, { isChanged: set.length + setNew.length > 0, known })
  refuseTypeless(bodyOf(event, known), body)
  const id = newEventId(ctx.now())
  // Stripe and others state the id in the body.
  if (body.id === event.id && event.id !== undefined) body.id = id
  const text = JSON.stringify(body)
  const name = event.scheme !== 'github' && typeof body.type === 'string' ? body.type : event.name
  ctx.note(`${known} with changes is ${id}.`)
  return {
    ...event,
    id,
    isDuplicate: false,
    name,
    body: { type: 'json', text, value: body },
    delivery: { ...event.delivery, bytes: Buffer.from(text) },
  }
}

function bodyOf({ body }: ReceivedEvent, known: string): JsonObject {
  const value = body.type === 'json' ? parseJsonAsWritten(body.text) : undefined
  if (isJsonObject(value)) return value
  throw new CrmError('usage', `${known} cannot be changed: its body is not a JSON object`, {
    hint: 'without --set and --edit it is sent unchanged',
  })
}

/** `data.amount=5` is a number where the event has one, as the text of an event shows which it is. */
function asInEvent(body: JsonObject, text: string): string {
  const [, key = '', raw = ''] = /^([^=:]+)=(.*)$/s.exec(text) ?? []
  const before = valueAt(body, key.split('.'))
  const isNumber = typeof before === 'number' || exactDigits(before) !== undefined
  if (key === '' || !(isNumber || typeof before === 'boolean')) return text
  if (typeof before === 'boolean') return /^(?:true|false)$/.test(raw) ? `${key}:=${raw}` : text
  if (/^-?\d+(?:\.\d+)?$/.test(raw)) return `${key}:=${raw}`
  throw textForNumber(key, raw)
}

/** Receivers choose what to do by it. CrmError `usage` for an event that had one and has none now. */
function refuseTypeless(before: JsonObject, { type }: JsonObject): void {
  if (typeof before.type !== 'string' || (typeof type === 'string' && type.trim() !== '')) return
  throw new CrmError('usage', `the changed event has no type: it is ${JSON.stringify(type)}; nothing was sent`, {
    hint: `leave it as it is, or name an event: --set type=${before.type}`,
  })
}

interface Opened {
  /** By `--set`. */
  readonly isChanged: boolean
  readonly known: string
}

async function inEditor(
  { env }: Pick<Context, 'env'>,
  body: JsonObject,
  { isChanged, known }: Opened,
): Promise<JsonObject> {
  const { openInEditor } = await import('../../output/open-in-editor.ts')
  const opened = `${JSON.stringify(body, undefined, 2)}\n`
  const { text, path, forget } = await openInEditor({ text: opened, name: 'event.json' }, env)
  if (text === opened && !isChanged) {
    await forget()
    throw new CrmError('usage', `${known} was not changed in the editor; nothing was sent`, {
      hint: 'save it with a change, or send it as it was received, without --edit',
    })
  }
  const edited = parsed(text, path)
  await forget()
  return edited
}

function parsed(text: string, path: string): JsonObject {
  try {
    const value = parseJsonAsWritten(text)
    if (isJsonObject(value)) return value
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw notEvent(`is not JSON: ${error.message}`, path)
  }
  throw notEvent('is not a JSON object', path)
}

function notEvent(what: string, path: string): CrmError {
  return new CrmError('invalid_input', `the edited event ${what}; nothing was sent`, {
    hint: `the text stays in ${shellWord(path)}`,
  })
}
