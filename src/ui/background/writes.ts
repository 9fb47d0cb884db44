import type { Api } from '../../api/api.ts'
import { CrmError } from '../../core/errors.ts'
import { isSameJson, type JsonObject } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { cellText } from '../../output/safe-text.ts'
import { putRow, removeRow, rowId, withId } from '../list/list-state.ts'
import { type ServerList, searchedIn } from '../screens.ts'
import { type State, type StateStore, withList } from '../state.ts'
import { recordName } from '../text/change-text.ts'
import { deletionDiff, editDiff } from '../text/plan-diff.ts'
import type { DoneCommands } from './done-commands.ts'
import type { Notices } from './notices.ts'
import { type History, type UnderWay, withBarrier } from './under-way.ts'

/** Writes that show the answer of the server, and add their inverse to the history. They throw the error of the server. */
export interface Writes {
  create(name: ServerList, fields: JsonObject): Promise<void>
  /** `isForced` overwrites changes that others made since the row was loaded. */
  update(name: ServerList, row: CrmRecord, patch: JsonObject, isForced: boolean): Promise<void>
  /** Updates a record without a message and without an entry in the history. Returns the updated record. */
  save(name: ServerList, row: CrmRecord, patch: JsonObject, isForced: boolean): Promise<CrmRecord>
  /** Like `save`, also of a record that was changed and changed back since, and so has a newer version. */
  saveBack(name: ServerList, row: CrmRecord, patch: JsonObject): Promise<CrmRecord>
  addNote(deal: CrmRecord, body: string): Promise<void>
}

const UNDO = '; u undoes it'

interface Parts {
  readonly store: StateStore<State>
  readonly openApi: () => Promise<Api>
  readonly notices: Notices
  readonly history: History
  readonly commands: DoneCommands
  readonly underWay: UnderWay
  /** Aborts requests that may finish after the program was stopped. */
  readonly late: AbortSignal
}

export function createWrites(parts: Parts): Writes {
  const { store, openApi, notices, history, commands, underWay, late } = parts
  const put = (name: ServerList, row: CrmRecord) =>
    store.update((state) => withList(state, name, (list) => putRow(list, row, searchedIn(name))))
  // A request that was sent is not aborted when crm is left, so that its result is known.
  const options = { idempotencyKey: undefined, isLetFinish: true, signal: late }

  const save: Writes['save'] = async (name, before, patch, isForced) => {
    const id = rowId(before) ?? ''
    const ifMatch = !isForced && typeof before.version === 'number' ? String(before.version) : undefined
    const row = await underWay
      .track(`the change of ${id}`, async () => {
        const api = await openApi()
        return api[name].update(id, patch, { ...options, ifMatch })
      })
      .catch((error: unknown) => {
        if (error instanceof CrmError && error.code === 'not_found') markGone(store, name, id)
        throw error
      })
    put(name, row)
    commands.addMembers([name, 'update', id], patch)
    return row
  }

  const saveBack = savingBack(save, async (name, id) => (await openApi())[name].get(id))

  return {
    create: async (name, fields) => {
      const what = `a new record of ${name}`
      const row = await withBarrier(history, what, () =>
        underWay.track(what, async () => (await openApi())[name].create(fields, options)),
      )
      put(name, row)
      commands.addMembers([name, 'create'], fields)
      const id = rowId(row)
      if (store.get().offered.lacks[`delete ${name}`] !== undefined || id === undefined) {
        history.add({ type: 'barrier', what: `the creation of ${recordName(row)}` })
        return notices.done(`Created ${recordName(row)}, which cannot be undone`)
      }
      notices.done(`Created ${recordName(row)}`, UNDO)
      history.add({
        type: 'change',
        what: `the creation of ${recordName(row)}`,
        name,
        diff: deletionDiff([row]),
        undo: async () => {
          await underWay.track(`the deletion of ${id}`, async () =>
            (await openApi())[name].delete(id, { ...options, ifMatch: undefined }),
          )
          commands.add([name, 'delete', id, '--yes'])
          store.update((state) => withList(state, name, (list) => removeRow(list, id)))
        },
      })
    },
    save,
    saveBack,
    update: async (name, before, patch, isForced) => {
      const after = await withBarrier(history, `the change of ${recordName(before)}`, () =>
        save(name, before, patch, isForced),
      )
      const inverse = inverseOf(before, patch)
      notices.done(savedText(before, after, patch), UNDO)
      history.add({
        type: 'change',
        what: `the change of ${recordName(after)}`,
        name,
        diff: editDiff([{ row: after, patch: inverse }]),
        // Only if it was not changed since.
        undo: async () => void (await saveBack(name, after, inverse)),
      })
    },
    addNote: addingNote(parts, options),
  }
}

function addingNote(
  { store, openApi, notices, history, commands, underWay }: Parts,
  options: Parameters<Api['contacts']['create']>[1],
): Writes['addNote'] {
  return async (deal, body) => {
    const dealId = rowId(deal) ?? ''
    const what = `the note to ${recordName(deal)}`
    const note = await withBarrier(history, what, () =>
      underWay.track(what, async () => (await openApi()).notes(dealId).create({ body }, options)),
    )
    history.add({ type: 'barrier', what })
    commands.addMembers(['notes', 'add', dealId], { body })
    store.update((state) => {
      const loaded =
        state.notes?.dealId === dealId ? state.notes : { items: [], cut: 'only notes added here are shown' }
      return { ...state, notes: { dealId, items: [note, ...loaded.items], cut: loaded.cut } }
    })
    notices.done(`Added the note to ${recordName(deal)}; notes cannot be undone`)
  }
}

function savingBack(
  save: Writes['save'],
  get: (name: ServerList, id: string) => Promise<CrmRecord | undefined>,
): Writes['saveBack'] {
  return async (name, after, patch) => {
    try {
      return await save(name, after, patch, false)
    } catch (error) {
      if (!(error instanceof CrmError) || error.code !== 'precondition_failed') throw error
      // Where it cannot be read, the refusal is what is known.
      const now = await get(name, rowId(after) ?? '').catch(() => undefined)
      if (!now || !isSameJson(unversioned(after), unversioned(now))) throw error
      return save(name, now, patch, false)
    }
  }
}

export function inverseOf(before: CrmRecord, patch: JsonObject): JsonObject {
  return Object.fromEntries(Object.keys(patch).map((member) => [member, before[member] ?? null]))
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
