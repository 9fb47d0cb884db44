import type { Api } from '../../api/api.ts'
import { CrmError } from '../../core/errors.ts'
import { isSameJson, type JsonObject } from '../../core/json.ts'
import { type CrmRecord, resourceOf } from '../../core/resources/registry.ts'
import { cellText } from '../../output/safe-text.ts'
import { removeRows, rowId, rowVersion } from '../list/list-state.ts'
import type { DiffLine } from '../overlay.ts'
import { titleOf, withRecords } from '../screens/all-screens.tsx'
import { listOfScreen, type ServerList } from '../screens.ts'
import { withList } from '../state.ts'
import { recordName } from '../text/change-text.ts'
import { creationDiff, deletionDiff, editDiff } from '../text/diff.ts'
import type { createJobList } from './job-list.ts'
import { leadOf } from './notices.ts'
import type { Parts } from './parts.ts'

type OfRecords = { readonly what: string; readonly name: ServerList }

export interface UndoOfChange extends OfRecords {
  readonly type: 'change'
  readonly diff: readonly DiffLine[]
  /** Sends it; the result takes back that. */
  readonly reverse: () => Promise<Undo>
}

export type Undo =
  | UndoOfChange
  /** It cannot be taken back, and neither can what was before it: a key must not reach past what a person saw last. */
  | (OfRecords & { readonly type: 'barrier' })
  /** Taken back by a job of its own. */
  | (OfRecords & { readonly type: 'job'; readonly id: string })

export type UndoKind = 'undo' | 'redo'

/** What was done in this session, for `undo`, and what was taken back, for `redo`. */
export type UndoHistory = ReturnType<typeof createUndoHistory>

export function createUndoHistory() {
  const entries: Record<UndoKind, readonly Undo[]> = { undo: [], redo: [] }
  return {
    /** Adds what a person did; what was taken back before it can no longer be done again. */
    add: (entry: Undo) => {
      entries.undo = [...entries.undo, entry]
      entries.redo = []
    },
    /** It stays until it is taken back. */
    newest: (kind: UndoKind) => entries[kind].at(-1),
    ofJob: (id: string) => {
      for (const kind of ['undo', 'redo'] as const)
        for (const entry of entries[kind]) if (entry.type === 'job' && entry.id === id) return { kind, entry }
      return undefined
    },
    /** The entry was taken back, or done again; `by` takes back that. */
    reversed: (kind: UndoKind, entry: Undo, by: Undo) => {
      const other = kind === 'undo' ? 'redo' : 'undo'
      entries[kind] = entries[kind].filter((each) => each !== entry)
      entries[other] = [...entries[other], by]
    },
  }
}

/** The work; where it is unknown whether it was done, a barrier. */
async function withBarrier<Result>(history: UndoHistory, of: OfRecords, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof CrmError && error.details.isInDoubt) history.add({ type: 'barrier', ...of })
    throw error
  }
}

/** What takes the newest change back, or does it again; nothing is sent before `send`. */
export interface ReversePlan {
  readonly title: string
  readonly verb: string
  readonly diff: readonly DiffLine[]
  readonly lines: readonly string[]
  readonly count: number
  send(): Promise<void>
  drop(): void
}

const WORDS = {
  undo: { verb: 'Undo', none: 'There is no change of this session to undo', done: 'Undone', failed: 'Not undone: ' },
  redo: { verb: 'Redo', none: 'Nothing was undone that can be done again', done: 'Redone', failed: 'Not redone: ' },
} as const

export function createPlanReverse(
  { store, notices }: Parts,
  history: UndoHistory,
  planUndo: ReturnType<typeof createJobList>['planUndo'],
) {
  async function reverse(kind: UndoKind, entry: UndoOfChange): Promise<void> {
    const { done, failed } = WORDS[kind]
    try {
      history.reversed(kind, entry, await entry.reverse())
      notices.done(`${done}: ${entry.what}`)
    } catch (error) {
      notices.problem(error, leadOf(error, { failed, open: `${WORDS[kind].verb}: ` }))
    }
  }

  async function ofJob(
    id: string,
    head: Pick<ReversePlan, 'title' | 'verb' | 'lines'>,
    onSend: (undoId: string) => void = () => {},
  ) {
    const plan = await planUndo(id)
    if (!plan) return undefined
    const send = () => {
      onSend(plan.id)
      return plan.send()
    }
    return { ...head, diff: plan.diff, lines: [...head.lines, ...plan.lines], count: plan.rows, send, drop: plan.drop }
  }

  async function ofNewest(kind: UndoKind): Promise<ReversePlan | undefined> {
    const { screen, underWay, place } = store.get()
    const { verb, none } = WORDS[kind]
    // Else it would take back the change before the one that is being sent.
    if (underWay.length > 0) return void notices.wait('A change is being sent; press the key after that')
    const entry = history.newest(kind)
    if (!entry) return void notices.wait(none)
    const { what, name } = entry
    if (entry.type === 'barrier')
      return void notices.wait(`${what} cannot be taken back, nor can what was changed before it`)
    const lines = listOfScreen(screen) === name ? [] : [`It was made on ${titleOf(name)}, not on this screen.`]
    const head = { verb, title: `${verb} ${what} (${name}) on ${place.text}?`, lines }
    if (entry.type === 'job') return ofJob(entry.id, head, (id) => history.reversed(kind, entry, { ...entry, id }))
    return { ...head, diff: entry.diff, count: 1, send: () => reverse(kind, entry), drop: () => {} }
  }

  let isPlanning = false
  /** Of the newest change, or of a job. Undefined where there is nothing to send, which a message explains. */
  return async (of: UndoKind | { readonly jobId: string }): Promise<ReversePlan | undefined> => {
    // A second plan would take the place of the first, whose question is about to be shown.
    if (isPlanning) return undefined
    isPlanning = true
    try {
      if (typeof of === 'string') return await ofNewest(of)
      const head = { verb: 'Undo', title: `Undo ${of.jobId} on ${store.get().place.text}?`, lines: [] }
      const own = history.ofJob(of.jobId)
      return await ofJob(of.jobId, head, (id) => own && history.reversed(own.kind, own.entry, { ...own.entry, id }))
    } finally {
      isPlanning = false
    }
  }
}

const UNDO = '; u undoes it'

type WriteOptions = Parameters<Api['contacts']['create']>[1]

function createRequests({ store, openApi, commands, underWay }: Parts, options: WriteOptions) {
  const put = (name: ServerList, row: CrmRecord) => store.update((state) => withRecords(state, name, [row]))
  return {
    save: async (name: ServerList, before: CrmRecord, patch: JsonObject, isForced = false): Promise<CrmRecord> => {
      const id = rowId(before) ?? ''
      const ifMatch = isForced ? undefined : rowVersion(before)
      const row = await underWay
        .track(`the change of ${id}`, async () => (await openApi())[name].update(id, patch, { ...options, ifMatch }))
        .catch((error: unknown) => {
          if (error instanceof CrmError && error.code === 'not_found')
            store.update((state) => withList(state, name, (list) => ({ ...list, gone: new Set([...list.gone, id]) })))
          throw error
        })
      put(name, row)
      commands.addMembers([name, 'update', id], patch)
      return row
    },
    create: async (name: ServerList, fields: JsonObject): Promise<CrmRecord> => {
      const row = await underWay.track(newRecord(name), async () => (await openApi())[name].create(fields, options))
      put(name, row)
      commands.addMembers([name, 'create'], fields)
      return row
    },
    remove: async (name: ServerList, row: CrmRecord): Promise<void> => {
      const id = rowId(row) ?? ''
      await underWay.track(`the deletion of ${id}`, async () =>
        (await openApi())[name].delete(id, { ...options, ifMatch: rowVersion(row) }),
      )
      commands.add([name, 'delete', id, '--yes'])
      store.update((state) => withList(state, name, (list) => removeRows(list, [id])))
    },
  }
}

function newRecord(name: ServerList): string {
  return `a new record of ${name}`
}

type Requests = ReturnType<typeof createRequests>

function createReverses({ store, openApi }: Parts, { save, create, remove }: Requests) {
  /** Does it to a record that is as this session left it; a change that was taken back since gave it a newer version. */
  async function unlessChanged<Result>(name: ServerList, after: CrmRecord, work: (row: CrmRecord) => Promise<Result>) {
    try {
      return await work(after)
    } catch (error) {
      if (!(error instanceof CrmError) || error.code !== 'precondition_failed') throw error
      // Where it cannot be read, the refusal is what is known.
      const now = await (await openApi())[name].get(rowId(after) ?? '').catch(() => undefined)
      if (!now || !isSameJson(unversioned(after), unversioned(now))) throw error
      return work(now)
    }
  }

  function ofUpdate(name: ServerList, before: CrmRecord, after: CrmRecord, patch: JsonObject): UndoOfChange {
    const inverse = Object.fromEntries(Object.keys(patch).map((member) => [member, before[member] ?? null]))
    return {
      ...{ type: 'change', what: `the change of ${recordName(after)}`, name },
      diff: editDiff([{ row: after, patch: inverse }]),
      reverse: async () => {
        const back = await unlessChanged(name, after, (row) => save(name, row, inverse))
        return ofUpdate(name, after, back, inverse)
      },
    }
  }

  function ofCreation(name: ServerList, row: CrmRecord, fields: JsonObject): Undo {
    const what = `the creation of ${recordName(row)}`
    const lacksDeletion = store.get().offered.lacks[`delete ${name}`] !== undefined
    if (lacksDeletion || rowId(row) === undefined) return { type: 'barrier', what, name }
    const again: UndoOfChange = {
      ...{ type: 'change', what, name, diff: creationDiff([row]) },
      reverse: async () => ofCreation(name, await create(name, fields), fields),
    }
    const reverse = async () => {
      await unlessChanged(name, row, (now) => remove(name, now))
      return again
    }
    return { type: 'change', what, name, diff: deletionDiff([row]), reverse }
  }

  return { ofUpdate, ofCreation }
}

/** Writes of one record that show the answer of the server, and add their inverse to the history. They throw the error of the server. */
export function createWrites(parts: Parts, history: UndoHistory) {
  const { notices, late } = parts
  // A request that was sent is not aborted when crm is left, so that its result is known.
  const options = { idempotencyKey: undefined, isLetFinish: true, signal: late }
  const requests = createRequests(parts, options)
  const reverses = createReverses(parts, requests)
  return {
    create: async (name: ServerList, fields: JsonObject): Promise<void> => {
      const row = await withBarrier(history, { what: newRecord(name), name }, () => requests.create(name, fields))
      const undo = reverses.ofCreation(name, row, fields)
      history.add(undo)
      if (undo.type === 'barrier') notices.done(`Created ${recordName(row)}, which cannot be undone`)
      else notices.done(`Created ${recordName(row)}`, UNDO)
    },
    /** `isForced` overwrites changes that others made since the row was loaded. */
    update: async (name: ServerList, before: CrmRecord, patch: JsonObject, isForced: boolean): Promise<void> => {
      const what = `the change of ${recordName(before)}`
      const after = await withBarrier(history, { what, name }, () => requests.save(name, before, patch, isForced))
      notices.done(savedText(before, after, patch), UNDO)
      history.add(reverses.ofUpdate(name, before, after, patch))
    },
    addNote: addingNote(parts, history, options),
  }
}

function addingNote(
  { store, openApi, notices, commands, underWay }: Parts,
  history: UndoHistory,
  options: WriteOptions,
) {
  return async (list: ServerList, row: CrmRecord, body: string): Promise<void> => {
    const recordId = rowId(row) ?? ''
    const of = resourceOf(list)
    const what = `the note to ${recordName(row)}`
    const barrier = { what, name: list } as const
    const note = await withBarrier(history, barrier, () =>
      underWay.track(what, async () => (await openApi()).notes({ of, id: recordId }).create({ body }, options)),
    )
    history.add({ type: 'barrier', ...barrier })
    commands.addMembers(['notes', 'add', recordId, ...(of === 'deal' ? [] : ['--on', list])], { body })
    store.update((state) => {
      const isShown = state.notes?.recordId === recordId && state.notes.list === list
      const loaded = isShown && state.notes ? state.notes : { items: [], cut: 'only notes added here are shown' }
      return { ...state, notes: { list, recordId, items: [note, ...loaded.items], cut: loaded.cut } }
    })
    notices.done(`Added the note to ${recordName(row)}; notes cannot be undone`)
  }
}

/** What a change and its undo leave as it was. */
function unversioned({ version, updated_at, ...members }: CrmRecord): JsonObject {
  return members
}

/** A move says from where to where. */
function savedText(before: CrmRecord, after: CrmRecord, patch: JsonObject): string {
  const isMove = Object.keys(patch).join() === 'stage'
  if (!isMove) return `Saved ${recordName(after)}`
  return `Moved ${recordName(after)} from ${cellText(before.stage) || '(none)'} to ${cellText(after.stage)}`
}
