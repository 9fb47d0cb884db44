import { EVENT_KINDS } from '../core/event-kinds.ts'
import { type Resource, resourceNamed } from '../core/resources/registry.ts'
import type { ValueWords } from './words.ts'

/** One place where a value is typed: that of a flag, or an argument. */
export interface Place {
  /** The nouns and verbs that lead there. */
  readonly path: readonly string[]
  /** `--fields`; undefined for an argument. */
  readonly flag: string | undefined
  /** As help shows it between brackets: `file`, `deal-id`. */
  readonly placeholder: string
}

const METHODS = ['GET', 'POST', 'PATCH', 'DELETE']

/** By the name of the flag or the placeholder; what is not here cannot be known. */
export function valueAt(place: Place): ValueWords {
  return ofFlag(place) ?? ofPlaceholder(place) ?? { kind: 'text' }
}

function ofFlag({ path, flag }: Place): ValueWords | undefined {
  const of = resourceAt(path)
  if (flag === '--profile') return { kind: 'profile' }
  if (flag === '--events') return { kind: 'event-kinds' }
  if (flag === '--filter' || flag === '--deals') return { kind: 'filter' }
  if (!of) return undefined
  if (flag === '--fields' || flag === '--match') return { kind: 'members', of }
  if (flag === '--set') return { kind: 'assignment', of }
  if (flag === '--compute') return { kind: 'definition', of }
  if (flag === '--map') return { kind: 'mapping', of }
  if (flag === '--summary') return { kind: 'member', of }
  return undefined
}

function ofPlaceholder({ path, flag, placeholder }: Place): ValueWords | undefined {
  if (placeholder === 'file' || placeholder === 'files') return { kind: 'file' }
  if (flag !== undefined) return undefined
  const [noun = ''] = path
  if (['plan', 'before', 'after', 'command', 'args'].includes(placeholder)) return { kind: 'file' }
  const of = resourceNamed(noun)
  if (placeholder === 'id' && path.length === 2 && of) return { kind: 'id', of }
  if (placeholder === 'deal-id') return { kind: 'id', of: 'deal' }
  if (placeholder === 'pipeline-id') return { kind: 'id', of: 'pipeline' }
  if (placeholder === 'profile') return { kind: 'profile' }
  if (placeholder === 'key' && noun === 'config') return { kind: 'setting' }
  if (placeholder === 'job') return { kind: 'job' }
  if (placeholder === 'event') return [...EVENT_KINDS]
  if (placeholder === 'events') return { kind: 'event-kinds' }
  return placeholder === 'method' ? METHODS : undefined
}

/** Whose members a command reads or writes: its noun, and `pipelines stages` lists stages. */
function resourceAt([noun = '', verb = '']: readonly string[]): Resource | undefined {
  if (noun === 'pipelines' && verb === 'stages') return 'stage'
  // Events and what is done with them are no records of a server.
  if (noun === 'webhooks' && verb !== 'list' && verb !== 'create') return undefined
  return resourceNamed(noun)
}
