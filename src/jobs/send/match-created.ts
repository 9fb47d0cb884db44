import { idText, isJsonObject, type JsonValue, parseExactJson } from '../../core/json.ts'
import { isMadeSince } from '../../core/made-at.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { membersText, naturalName } from '../plan/match-keys.ts'
import type { Task } from './task-queue.ts'

/** A record that is equal to what an operation would have created. */
export interface CreatedRecord {
  readonly id: string
  /** Undefined if the server does not state whether it was created since the lease. */
  readonly isSince: true | undefined
}

/** Finds, in one pass over a list, the records that operations may have created. */
export class CreatedMatcher {
  /** By the names of the members that were sent, and then by their values. */
  readonly #groups = new Map<string, { names: readonly string[]; byText: Map<string, Task[]> }>()
  readonly #byName = new Map<string, Task[]>()
  readonly #found = new Map<Task, CreatedRecord[]>()
  readonly #near = new Map<Task, CreatedRecord[]>()
  /** Tasks that agree with a record without an id that crm can use: it can neither be adopted nor ruled out. */
  readonly #unnamed = new Set<Task>()
  readonly #sent = new Map<Task, readonly string[]>()
  /** Members that no record so far has. */
  readonly #hidden = new Set<string>()
  #isAnySeen = false

  /** `by` has seen the whole list; members that no record has are not compared. */
  constructor(tasks: readonly Task[], by?: CreatedMatcher) {
    for (const task of tasks) this.#add(task, by ? by.#hidden : NONE)
  }

  /** Members that were sent and that no record of the list has: the list omits them. */
  hiddenOf(task: Task): readonly string[] {
    return this.#isAnySeen ? (this.#sent.get(task) ?? []).filter((name) => this.#hidden.has(name)) : []
  }

  /** Whether the list shows any member that was sent. */
  isCompared(task: Task): boolean {
    return (this.#sent.get(task) ?? []).length > 0
  }

  see(record: CrmRecord): void {
    const id = idText(record.id)
    const same = [...this.#groups.values()].flatMap(({ names, byText }) => byText.get(membersText(record, names)) ?? [])
    const near = this.#byName.get(naturalName(record) ?? '') ?? []
    if (id === undefined) {
      for (const task of [...same, ...near]) if (isMadeSince(record, task.leasedMs) !== false) this.#unnamed.add(task)
      return
    }
    this.#isAnySeen = true
    for (const name of this.#hidden) if (isShown(record[name])) this.#hidden.delete(name)
    keepIn(this.#found, same, { id, record })
    keepIn(this.#near, near, { id, record })
  }

  /** Whether a record without an id agrees with what was sent. */
  isUnnamed(task: Task): boolean {
    return this.#unnamed.has(task)
  }

  /** Records created since the lease with the same email or name: the server may have trimmed values, or a person edited them. */
  near(task: Task): readonly CreatedRecord[] {
    return this.#near.get(task) ?? []
  }

  candidates(task: Task): readonly CreatedRecord[] {
    return this.#found.get(task) ?? []
  }

  #add(task: Task, hidden: ReadonlySet<string>): void {
    const sent = parseExactJson(task.operation.body?.toString('utf8') ?? '{}')
    if (!isJsonObject(sent)) return
    const body = Object.fromEntries(Object.entries(sent).filter(([name]) => !hidden.has(name)))
    const shown = Object.keys(body).filter((name) => isShown(body[name]))
    this.#sent.set(task, shown)
    for (const name of shown) this.#hidden.add(name)
    const names = Object.keys(body).sort()
    const key = JSON.stringify(names)
    const group = this.#groups.get(key) ?? { names, byText: new Map<string, Task[]>() }
    this.#groups.set(key, group)
    const text = membersText(body, names)
    group.byText.set(text, [...(group.byText.get(text) ?? []), task])
    const name = naturalName(body)
    if (name !== undefined) this.#byName.set(name, [...(this.#byName.get(name) ?? []), task])
  }
}

const NONE: ReadonlySet<string> = new Set()

function isShown(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null && value !== ''
}

interface Seen {
  readonly id: string
  readonly record: CrmRecord
}

/** Not for a task that was leased after the record was made. */
function keepIn(map: Map<Task, CreatedRecord[]>, tasks: readonly Task[], { id, record }: Seen): void {
  for (const task of tasks) {
    const isSince = isMadeSince(record, task.leasedMs)
    if (isSince !== false) map.set(task, [...(map.get(task) ?? []), { id, isSince }])
  }
}
