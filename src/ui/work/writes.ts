import type { Api } from '../../api/api.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources.ts'
import { putRow, removeRow, rowId } from '../list/list-state.ts'
import { SEARCHED } from '../screens.ts'
import { type State, withList } from '../state.ts'
import type { Store } from '../store.ts'
import { nameOf } from './deletions.ts'
import type { History } from './history.ts'
import type { ServerList } from './loading.ts'
import type { Notices } from './notices.ts'
import type { UnderWay } from './under-way.ts'

/** Each puts what the server answered on the screen, and what takes it back into the history. They throw what the server says. */
export interface Writes {
  create(name: ServerList, fields: JsonObject): Promise<void>
  /** `isForced` overwrites what somebody else changed since the row was loaded. */
  update(name: ServerList, row: CrmRecord, patch: JsonObject, isForced: boolean): Promise<void>
  addNote(deal: CrmRecord, body: string): Promise<void>
}

interface Parts {
  readonly store: Store<State>
  readonly openApi: () => Promise<Api>
  readonly notices: Notices
  readonly history: History
  readonly underWay: UnderWay
}

export function createWrites({ store, openApi, notices, history, underWay }: Parts): Writes {
  const put = (name: ServerList, row: CrmRecord) =>
    store.update((state) => withList(state, name, (list) => putRow(list, row, SEARCHED[name])))

  /** Deals go over GraphQL, where the server has it; where not, it throws and says so. */
  async function send(
    name: ServerList,
    id: string,
    patch: JsonObject,
    version: JsonValue | undefined,
  ): Promise<CrmRecord> {
    const ifMatch = typeof version === 'number' ? String(version) : undefined
    const options = { ifMatch, idempotencyKey: undefined }
    const api = await openApi()
    const update = name === 'contacts' ? api.contacts.update : api.graphql.updateDeal
    const row = await underWay.track(`the change of ${id}`, () => update(id, patch, options))
    put(name, row)
    return row
  }

  return {
    create: async (name, fields) => {
      const { create } = (await openApi())[name]
      const row = await underWay.track(`a new record of ${name}`, () => create(fields, { idempotencyKey: undefined }))
      put(name, row)
      const id = rowId(row)
      const isUndoable = name === 'contacts' && id !== undefined
      notices.done(`Created ${nameOf(row)}${isUndoable ? '; u takes it back' : ', which cannot be taken back'}`)
      if (!isUndoable) return
      history.add({
        what: `${nameOf(row)} is deleted again`,
        undo: async () => {
          const { contacts } = await openApi()
          await underWay.track(`the deletion of ${id}`, () => contacts.delete(id, { ifMatch: undefined }))
          store.update((state) => withList(state, name, (list) => removeRow(list, id)))
        },
      })
    },
    update: async (name, before, patch, isForced) => {
      const id = rowId(before) ?? ''
      const after = await send(name, id, patch, isForced ? undefined : before.version)
      notices.done(`Saved ${nameOf(after)}; u takes it back`)
      const inverse = Object.fromEntries(Object.keys(patch).map((member) => [member, before[member] ?? null]))
      history.add({
        what: `${nameOf(after)} is as it was`,
        // Only while nobody changed it since.
        undo: async () => void (await send(name, id, inverse, after.version)),
      })
    },
    addNote: async (deal, body) => {
      const dealId = rowId(deal) ?? ''
      const { notes } = await openApi()
      const note = await underWay.track(`the note to ${nameOf(deal)}`, () =>
        notes.add(dealId, { body }, { idempotencyKey: undefined }),
      )
      store.update((state) => {
        const items = state.notes?.dealId === dealId ? state.notes.items : []
        return { ...state, notes: { dealId, items: [note, ...items] } }
      })
      notices.done(`Added the note to ${nameOf(deal)}; notes cannot be taken back`)
    },
  }
}
