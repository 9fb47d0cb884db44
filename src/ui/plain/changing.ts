import { CrmError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import { RESOURCES, resourceOf } from '../../core/resources/registry.ts'
import { shellWords } from '../../core/shell-words.ts'
import { changesDiff, planTitle } from '../actions/ask-changes.ts'
import { lacking, noteRefusal } from '../actions/lacking.ts'
import type { RefusedChange } from '../background/find-conflicts.ts'
import { leadOf, lookText } from '../background/notices.ts'
import type { ChangesToSend } from '../background/send-changes.ts'
import { checkedMember, editsOf } from '../list/assignment.ts'
import { type Edit, rowId } from '../list/list-state.ts'
import type { ServerList } from '../screens.ts'
import { serverList } from '../selected.ts'
import { recordName } from '../text/change-text.ts'
import { firstWord, missing } from './command-text.ts'
import { isConfirmed } from './confirm.ts'
import { rowsOf } from './numbers.ts'
import { PLAIN_LISTS, type Plain, type PlainCommand } from './plain.ts'
import { redoLast, undoLast } from './undo.ts'

const RECORDS = PLAIN_LISTS

export const CHANGING_COMMANDS: readonly PlainCommand[] = [
  {
    word: 'edit',
    usage: 'NUMBERS MEMBER=VALUE ...',
    title: 'change records: edit 3 company="Acme Ltd", edit 1-40 stage=Lead, edit all phone=',
    screens: RECORDS,
    refusal: lacking('update'),
    run: edit,
  },
  {
    word: 'new',
    usage: 'MEMBER=VALUE ...',
    title: 'create a record: new name=Ada email=ada@example.com',
    screens: RECORDS,
    refusal: lacking('create'),
    run: create,
  },
  {
    word: 'delete',
    usage: 'NUMBERS',
    title: 'delete records; undo creates them again',
    screens: RECORDS,
    refusal: lacking('delete'),
    run: remove,
  },
  {
    word: 'note',
    usage: 'NUMBER TEXT',
    title: 'add a note',
    screens: RECORDS,
    refusal: noteRefusal,
    run: addNote,
  },
  { word: 'undo', usage: '', title: 'take back the last change; undo NUMBER in jobs', run: undoLast },
  { word: 'redo', usage: '', title: 'do again what undo took back', run: redoLast },
]

/** CrmError `invalid_input` for a member or value that cannot be sent. */
function patchOf({ store }: Plain, text: string, on: 'create' | 'update'): JsonObject {
  if (text.trim() === '') throw missing(on === 'create' ? 'new MEMBER=VALUE ...' : 'edit NUMBERS MEMBER=VALUE ...')
  const state = store.get()
  const name = serverList(state)
  const where = { name, rows: state.lists[name].rows, fields: state.offered.fields[name], on }
  return Object.fromEntries(
    shellWords(text, on === 'create' ? 'new' : 'edit').map((word) => checkedMember(word, where)),
  )
}

async function edit(plain: Plain, rest: string): Promise<void> {
  const { store, listing, say } = plain
  const [numbers, members] = firstWord(rest)
  const name = serverList(store.get())
  const changes = editsOf(rowsOf(numbers, listing), patchOf(plain, members, 'update'))
  const [first, ...others] = changes
  if (!first) return say('These records have those values already; nothing was sent.')
  if (others.length > 0) return send(plain, { name, changes })
  if (await isPlanConfirmed(plain, changes, [])) await saveOne(plain, name, first)
}

function isPlanConfirmed(plain: Plain, changes: ChangesToSend['changes'], lines: readonly string[]): Promise<boolean> {
  const title = `${planTitle(changes)} ${plain.store.get().place.text}?`
  return isConfirmed(plain, { title, diff: changesDiff(changes), lines, count: changes.length })
}

/** As one job, after its plan. What others changed meanwhile is asked about again. */
async function send(plain: Plain, toSend: ChangesToSend, lines: readonly string[] = []): Promise<void> {
  if (!(await isPlanConfirmed(plain, toSend.changes, lines))) return
  await askAgain(plain, toSend.name, await plain.background.sendChanges(toSend))
}

async function askAgain(plain: Plain, name: ServerList, conflicts: readonly RefusedChange[]): Promise<void> {
  if (conflicts.length === 0) return
  const texts = ['Changed by others since they were said:', ...conflicts.map(({ text }) => text)]
  await send(plain, { name, changes: conflicts.map(({ change }) => change) }, texts)
}

async function saveOne(plain: Plain, name: ServerList, edit: Edit): Promise<void> {
  const { writes, notices, findConflicts } = plain.background
  try {
    await writes.update(name, edit.row, edit.patch, false)
  } catch (error) {
    if (error instanceof CrmError && error.code === 'precondition_failed')
      return askAgain(plain, name, await findConflicts(name, [edit]))
    const open = `Update of ${recordName(edit.row)} (${lookText(name, rowId(edit.row) ?? '')}): `
    notices.problem(error, leadOf(error, { failed: 'Not saved: ', open }))
  }
}

async function create(plain: Plain, rest: string): Promise<void> {
  const { store, background } = plain
  const name = serverList(store.get())
  const fields = patchOf(plain, rest, 'create')
  const { singular } = RESOURCES[resourceOf(name)]
  const diff = Object.entries(fields).map(([label, value]) => ({
    ...{ label, old: undefined, new: String(value), count: 1 },
  }))
  const title = `Create a ${singular} on ${store.get().place.text}?`
  const isForGood = store.get().offered.lacks[`delete ${name}`] !== undefined
  const lines = isForGood ? ['It cannot be undone: the server deletes none.'] : []
  if (!(await isConfirmed(plain, { title, diff, lines, count: 1 }))) return
  try {
    await background.writes.create(name, fields)
  } catch (error) {
    const open = `New ${singular} (crm ${name} list shows whether it is there): `
    background.notices.problem(error, leadOf(error, { failed: 'Not created: ', open }))
  }
}

async function remove(plain: Plain, rest: string): Promise<void> {
  const name = serverList(plain.store.get())
  const rows = rowsOf(firstWord(rest)[0], plain.listing)
  await send(plain, { name, changes: rows.map((row) => ({ row, patch: null })) })
}

async function addNote({ store, background, listing }: Plain, rest: string): Promise<void> {
  const [number, body] = firstWord(rest)
  const [row, other] = rowsOf(number, listing)
  if (!row || other || body === '') throw missing('note NUMBER TEXT')
  try {
    await background.writes.addNote(serverList(store.get()), row, body)
  } catch (error) {
    background.notices.problem(error, leadOf(error, { failed: 'Note not added: ', open: 'The note: ' }))
  }
}
