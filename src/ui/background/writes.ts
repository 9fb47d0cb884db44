import type { Api } from '../../api/api.ts'
import { CrmError } from '../../core/errors.ts'
import { isSameJson, type JsonObject } from '../../core/json.ts'
import { type CrmRecord, resourceOf } from '../../core/resources/registry.ts'
import { cellText } from '../../output/safe-text.ts'
import { putRow, removeRow, rowId, withId } from '../list/list-state.ts'
import { searchedIn } from '../screens/all-screens.tsx'
import type { ServerList } from '../screens.ts'
import { type State, type StateStore, withList } from '../state.ts'
import { recordName } from '../text/change-text.ts'
import { creationDiff, deletionDiff, editDiff } from '../text/plan-diff.ts'
import type { DoneCommands } from './done-commands.ts'
import type { Notices } from './notices.ts'
import type { UnderWay } from './under-way.ts'
import { type Undo, type UndoHistory, type UndoOfChange, withBarrier } from './undo-history.ts'

/** Writes of one record that show the answer of the server, and add their inverse to the history. They throw the error of the server. */
export interface Writes {
  create(name: ServerList, fields: JsonObject): Promise<void>
  /** `isForced` overwrites changes that others made since the row was loaded. */
  update(name: ServerList, row: CrmRecord, patch: JsonObject, isForced: boolean): Promise<void>
  addNote(list: ServerList, row: CrmRecord, body: string): Promise<void>
}

const UNDO = '; u undoes it'

interface Parts {
  readonly store: StateStore<State>
  readonly openApi: () => Promise<Api>
  readonly notices: Notices
  readonly history: UndoHistory
  readonly commands: DoneCommands
  readonly underWay: UnderWay
  /** Aborts requests that may finish after the program was stopped. */
  readonly late: AbortSignal
}

type WriteOptions = Parameters<Api['contacts']['create']>[1]

/** A request for one record, whose answer the list shows. */
function createRequests({ store, openApi, commands, underWay }: Parts, options: WriteOptions) {
  const put = (name: ServerList, row: CrmRecord) =>
    store.update((state) => withList(state, name, (list) => putRow(list, row, searchedIn(name))))
  return {
    save: async (name: ServerList, before: CrmRecord, patch: JsonObject, isForced = false): Promise<CrmRecord> => {
      const id = rowId(before) ?? ''
      const ifMatch = isForced ? undefined : versionOf(before)
      const row = await underWay
        .track(`the change of ${id}`, async () => (await openApi())[name].update(id, patch, { ...options, ifMatch }))
        .catch((error: unknown) => {
          if (error instanceof CrmError && error.code === 'not_found') markGone(store, name, id)
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
        (await openApi())[name].delete(id, { ...options, ifMatch: versionOf(row) }),
      )
      commands.add([name, 'delete', id, '--yes'])
      store.update((state) => withList(state, name, (list) => removeRow(list, id)))
    },
  }
}

function newRecord(name: ServerList): string {
  return `a new record of ${name}`
}

type Requests = ReturnType<typeof createRequests>

/** What takes a change back, and what does it again. */
function createReverses({ store, openApi }: Parts, { save, create, remove }: Requests) {
  /** Does it to a record that is as this session left it; a change that was taken back since gave it a newer version. */
  async function unlessChanged<Result>(
    name: ServerList,
    after: CrmRecord,
    work: (row: CrmRecord) => Promise<Result>,
  ): Promise<Result> {
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

export function createWrites(parts: Parts): Writes {
  const { notices, history, late } = parts
  // A request that was sent is not aborted when crm is left, so that its result is known.
  const options = { idempotencyKey: undefined, isLetFinish: true, signal: late }
  const requests = createRequests(parts, options)
  const reverses = createReverses(parts, requests)
  return {
    create: async (name, fields) => {
      const row = await withBarrier(history, { what: newRecord(name), name }, () => requests.create(name, fields))
      const undo = reverses.ofCreation(name, row, fields)
      history.add(undo)
      if (undo.type === 'barrier') notices.done(`Created ${recordName(row)}, which cannot be undone`)
      else notices.done(`Created ${recordName(row)}`, UNDO)
    },
    update: async (name, before, patch, isForced) => {
      const what = `the change of ${recordName(before)}`
      const after = await withBarrier(history, { what, name }, () => requests.save(name, before, patch, isForced))
      notices.done(savedText(before, after, patch), UNDO)
      history.add(reverses.ofUpdate(name, before, after, patch))
    },
    addNote: addingNote(parts, options),
  }
}

function versionOf({ version }: CrmRecord): string | undefined {
  return typeof version === 'number' ? String(version) : undefined
}

function addingNote(
  { store, openApi, notices, history, commands, underWay }: Parts,
  options: WriteOptions,
): Writes['addNote'] {
  return async (list, row, body) => {
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

function markGone(store: StateStore<State>, name: ServerList, id: string): void {
  store.update((state) => withList(state, name, (list) => ({ ...list, gone: withId(list.gone, id) })))
}

/** A move says from where to where. */
function savedText(before: CrmRecord, after: CrmRecord, patch: JsonObject): string {
  const isMove = Object.keys(patch).join() === 'stage'
  if (!isMove) return `Saved ${recordName(after)}`
  return `Moved ${recordName(after)} from ${cellText(before.stage) || '(none)'} to ${cellText(after.stage)}`
}
