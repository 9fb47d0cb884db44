import { FIELDS, filtersOf, isReadOnly, type Resource } from '../core/resources/registry.ts'
import { eventPatterns } from '../core/webhook-events.ts'
import { SETTING_KEYS, SETTINGS } from '../settings/setting.ts'
import type { Known } from './known.ts'
import type { Wanted } from './wanted.ts'
import type { ValueWords } from './words.ts'

export interface Suggestion {
  readonly word: string
  /** A description for people; may be empty. */
  readonly about: string
}

export interface Suggestions {
  /** The part of the word under the cursor that is kept. */
  readonly head: string
  /** `files`: the shell itself completes names of files. */
  readonly candidates: readonly Suggestion[] | 'files'
  /** A value follows directly, without a blank. */
  readonly isOpen: boolean
}

/** The state of this machine; completion sends no request. */
export interface Sources {
  /** The profiles, each with its address. */
  profiles(): Promise<readonly (readonly [name: string, about: string])[]>
  known(profileFlag: string | undefined): Promise<Known>
  jobs(): readonly string[]
  /** Events of the log, each with its name and record. */
  events(): readonly (readonly [id: string, about: string])[]
}

export async function answerTo({ head, rest, choice, profile }: Wanted, sources: Sources): Promise<Suggestions> {
  if (choice.type === 'commands') {
    return words(
      head,
      Object.entries(choice.commands).map(([word, { about }]) => ({ word, about })),
    )
  }
  if (choice.type === 'flags') {
    return words(
      head,
      choice.flags.flatMap(({ names, about }) => names.map((word) => ({ word, about }))),
    )
  }
  return answerValue(choice.value, { head, rest, profile }, sources)
}

type Typed = Pick<Wanted, 'head' | 'rest' | 'profile'>

async function answerValue(value: ValueWords, typed: Typed, sources: Sources): Promise<Suggestions> {
  if (!('type' in value)) return words(typed.head, plain(value))
  switch (value.type) {
    case 'file':
      return { head: typed.head, candidates: 'files', isOpen: false }
    case 'profile':
      return words(typed.head, described(await sources.profiles()))
    case 'setting':
      return words(
        typed.head,
        SETTING_KEYS.map((word) => ({ word, about: SETTINGS[word].meaning })),
      )
    case 'job':
      return words(typed.head, plain(sources.jobs()))
    case 'event':
      return words(typed.head, described(sources.events()))
    case 'event-kinds':
      return listed(typed, eventPatterns())
    case 'text':
      return words(typed.head, [])
    case 'filter':
      return assignedFilter(typed, await sources.known(typed.profile))
    default:
      return answerKnown(value, typed, await sources.known(typed.profile))
  }
}

type KnownValue = Extract<ValueWords, { readonly of: Resource }>

/** Values that depend on the records seen so far. */
function answerKnown(value: KnownValue, typed: Typed, known: Known): Suggestions {
  switch (value.type) {
    case 'id':
      return words(typed.head, described(known.ids[value.of] ?? []))
    case 'member':
      return words(typed.head, plain(membersOf(value.of, known)))
    case 'members':
      return listed(typed, membersOf(value.of, known))
    case 'mapping': {
      const [column, field] = split(typed.rest)
      if (field === undefined) return words(typed.head, [])
      return words(`${typed.head}${column}`, plain(membersOf(value.of, known)))
    }
    case 'definition':
      return assigned(typed, writableMembers(value.of, known), () => [])
    case 'assignment':
      return assigned(typed, writableMembers(value.of, known), (name) => valuesOf(name, known))
  }
}

function assigned(typed: Typed, names: readonly string[], values: (name: string) => readonly string[]): Suggestions {
  const [name, given] = split(typed.rest)
  if (given !== undefined) return words(`${typed.head}${name}`, plain(values(name)))
  return { head: typed.head, candidates: plain(names.map((each) => `${each}=`)), isOpen: true }
}

/** Several values of a filter are alternatives. */
function assignedFilter(typed: Typed, known: Known): Suggestions {
  const [name, given] = split(typed.rest)
  if (given === undefined) return assigned(typed, filtersOf('deal'), () => [])
  return listed({ ...typed, head: `${typed.head}${name}`, rest: given }, valuesOf(name, known))
}

function valuesOf(name: string, known: Known): readonly string[] {
  if (/^stage:?=$/.test(name)) return known.stages
  if (/^pipeline_id:?=$/.test(name)) return (known.ids.pipeline ?? []).map(([id]) => id)
  return []
}

/** Several values, separated by commas: each is offered once. */
function listed({ head, rest }: Typed, choices: readonly string[]): Suggestions {
  const before = rest.slice(0, rest.lastIndexOf(',') + 1)
  const given = before.split(',')
  const candidates = plain(choices.filter((word) => !given.includes(word)))
  return { head: `${head}${before}`, candidates, isOpen: true }
}

function membersOf(of: Resource, known: Known): readonly string[] {
  return [...new Set([...FIELDS[of], ...(known.members[of] ?? [])])]
}

function writableMembers(of: Resource, known: Known): readonly string[] {
  return membersOf(of, known).filter((name) => !isReadOnly(name))
}

/** `name=` and the text after it; undefined for the text when there is no `=` yet. */
function split(text: string): readonly [string, string | undefined] {
  const at = text.indexOf('=') + 1
  return at === 0 ? [text, undefined] : [text.slice(0, at), text.slice(at)]
}

function words(head: string, candidates: readonly Suggestion[]): Suggestions {
  return { head, candidates, isOpen: false }
}

function plain(choices: readonly string[]): readonly Suggestion[] {
  return choices.map((word) => ({ word, about: '' }))
}

/** Names that users chose, except those that crm would read as a flag. */
function described(pairs: readonly (readonly [string, string])[]): readonly Suggestion[] {
  return pairs.filter(([word]) => !word.startsWith('-')).map(([word, about]) => ({ word, about }))
}
