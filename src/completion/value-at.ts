import { TAB_SCREENS } from '../core/browse-screens.ts'
import { type Resource, resourceNamed } from '../core/resources/registry.ts'
import { eventKinds } from '../core/webhook-events.ts'
import type { ValueWords } from './words.ts'

/** The place of a value: of a flag, or an argument. */
export interface WordPosition {
  /** The nouns and verbs before it. */
  readonly path: readonly string[]
  /** `--fields`; undefined for an argument. */
  readonly flag: string | undefined
  /** The name in brackets in the help: `file`, `deal-id`. */
  readonly placeholder: string
}

/** What notes are on; a server may have others. */
const NOTE_NOUNS = ['deals', 'contacts', 'companies']

const METHODS = ['GET', 'POST', 'PATCH', 'DELETE']

/** Derived from the name of the flag or the placeholder; `text` for any other. */
export function valueWordsAt(place: WordPosition): ValueWords {
  return ofFlag(place) ?? ofPlaceholder(place) ?? { type: 'text' }
}

function ofFlag({ path, flag }: WordPosition): ValueWords | undefined {
  const of = resourceAt(path)
  if (flag === '--profile') return { type: 'profile' }
  if (flag === '--data') return { type: 'file' }
  if (flag === '--events') return { type: 'event-kinds' }
  if (flag === '--on') return NOTE_NOUNS
  if (flag === '--filter' || flag === '--deals') return { type: 'filter' }
  if (!of) return undefined
  if (flag === '--fields' || flag === '--match') return { type: 'members', of }
  if (flag === '--set') return { type: 'assignment', of }
  if (flag === '--compute') return { type: 'definition', of }
  if (flag === '--map') return { type: 'mapping', of }
  if (flag === '--summary') return { type: 'member', of }
  return undefined
}

/** Arguments whose name says what they are. */
const ARGUMENTS: ReadonlyMap<string, ValueWords> = new Map<string, ValueWords>([
  ...['plan', 'before', 'after', 'command', 'args'].map((name) => [name, { type: 'file' }] as const),
  ['deal-id', { type: 'id', of: 'deal' }],
  ['record-id', { type: 'id', of: 'deal' }],
  ['pipeline-id', { type: 'id', of: 'pipeline' }],
  ['profile', { type: 'profile' }],
  ['job', { type: 'job' }],
  ['event-id', { type: 'event' }],
  ['event', [...eventKinds()]],
  ['events', { type: 'event-kinds' }],
  ['method', METHODS],
  // A server may have others.
  ['screen', [...TAB_SCREENS, 'companies', 'tasks']],
])

function ofPlaceholder({ path, flag, placeholder }: WordPosition): ValueWords | undefined {
  if (placeholder === 'file' || placeholder === 'files') return { type: 'file' }
  if (flag !== undefined) return undefined
  const [noun = ''] = path
  if (noun === 'webhooks' && isOfLog(path, placeholder)) return { type: 'event' }
  const of = resourceNamed(noun)
  if (placeholder === 'id' && path.length === 2 && of) return { type: 'id', of }
  if (placeholder === 'key' && noun === 'config') return { type: 'setting' }
  return ARGUMENTS.get(placeholder)
}

/** `webhooks events show ID`, `webhooks replay ID...` */
function isOfLog([, verb = '']: readonly string[], placeholder: string): boolean {
  return (verb === 'events' && placeholder === 'id') || (verb === 'replay' && placeholder === 'ids')
}

/** The resource whose members a command reads or writes: its noun, or stages for `pipelines stages`. */
function resourceAt([noun = '', verb = '']: readonly string[]): Resource | undefined {
  if (noun === 'pipelines' && verb === 'stages') return 'stage'
  // Events are not records of a server.
  if (noun === 'webhooks' && verb !== 'list' && verb !== 'create') return undefined
  return resourceNamed(noun)
}
