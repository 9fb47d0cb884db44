import { writeFile } from 'node:fs/promises'
import { CrmError } from '../../core/errors.ts'
import { shellWord } from '../../core/shell-words.ts'
import { printRecords } from '../../output/print-records.ts'
import { type Format, OUTPUT_FORMATS } from '../../output/record-output.ts'
import { cellText, jsonText } from '../../output/safe-text.ts'
import { copyToClipboard } from '../background/clipboard.ts'
import { REJECTED } from '../background/event-row.ts'
import { currentRow, rowId } from '../list/list-state.ts'
import { offeredColumns } from '../list/shown-columns.ts'
import { listOfScreen, type ScreenOrObjects, SERVER_SCREENS } from '../screens.ts'
import { actedOn } from '../selected.ts'
import { currentList } from '../state.ts'
import { textInput } from '../text/text-input.ts'
import type { Action, Ui } from '../ui.ts'

const RECORDS: readonly ScreenOrObjects[] = [...SERVER_SCREENS, 'events', 'jobs', 'webhooks']

export const COPY_EXPORT: readonly Action[] = [
  {
    id: 'copy-id',
    isOfMarks: true,
    title: 'Copy the id',
    screens: RECORDS,
    keys: ['y'],
    footer: 'copy id',
    run: (ui) => void copyText(ui, ids(ui).join('\n'), 'id'),
  },
  {
    id: 'copy-cell',
    title: 'Copy the value in the selected column',
    screens: RECORDS.filter((each) => each !== 'pipelines'),
    keys: ['ctrl-y'],
    run: (ui) => void copyText(ui, cellOf(ui), 'value'),
  },
  {
    id: 'copy-command',
    isOfMarks: true,
    title: 'Copy the crm command that shows it',
    screens: RECORDS,
    keys: ['Y'],
    run: (ui) => void copyText(ui, commandFor(ui), 'command'),
  },
  {
    id: 'export',
    isOfMarks: true,
    title: 'Export the marked rows to a file',
    screens: RECORDS,
    keys: ['x'],
    run: askExport,
  },
]

/** Rejected requests are not kept, and the ids of their rows are made up. */
function ids({ store, boards }: Ui): readonly string[] {
  const isOfEvents = store.get().screen === 'events'
  return actedOn(store.get(), boards).flatMap((row) => (isOfEvents && row.event === REJECTED ? [] : (rowId(row) ?? [])))
}

function cellOf({ store }: Ui): string {
  const list = currentList(store.get())
  const value = currentRow(list)?.[list.column]
  return typeof value === 'string' ? value : value === undefined || value === null ? '' : jsonText(value)
}

function commandFor(ui: Ui): string {
  const { store, world } = ui
  const name = listOfScreen(store.get().screen)
  const profile = world.profileFlag === undefined ? '' : ` -p ${shellWord(world.profileFlag)}`
  const verb = name === 'jobs' ? 'jobs show' : name === 'events' ? 'webhooks events show' : `${name} get`
  return ids(ui)
    .map((id) => `crm ${verb} ${shellWord(id)}${profile}`)
    .join('\n')
}

/** A green check only where tmux states that it has the text: a terminal states nothing. */
export async function copyText(
  { world, background }: Pick<Ui, 'world' | 'background'>,
  text: string,
  what: string,
  shown = shownOf(text),
): Promise<void> {
  if (text === '') return background.notices.wait(`There is no ${what} to copy`)
  const to = await copyToClipboard(text, world.env, world.writeRaw)
  if (to === 'too long')
    return background.notices.wait(`Too long for the clipboard: ${text.length} characters; x exports`)
  if (to === 'tmux') return background.notices.done(`Copied ${shown} to tmux, and to the clipboard where tmux sets it`)
  background.notices.wait(`Sent ${shown} to the terminal to copy (OSC 52); terminals do not say whether they did`)
}

function shownOf(text: string): string {
  const lines = text.split('\n').length
  return lines > 1 ? `${lines} lines` : cellText(text.length > 40 ? `${text.slice(0, 39)}…` : text)
}

function askExport(ui: Ui): void {
  const { store, boards } = ui
  const count = actedOn(store.get(), boards).length
  const name = listOfScreen(store.get().screen)
  store.update((state) => ({
    ...state,
    overlay: {
      type: 'prompt',
      label: `Export ${count} ${name} to a new file (.csv .tsv .json .jsonl .yaml):`,
      input: textInput(`${name}.csv`),
      enter: () => 'writes it',
      onSubmit: (path) => void exportTo(ui, path),
    },
  }))
}

async function exportTo({ store, boards, background }: Ui, path: string): Promise<void> {
  const ending = /\.([a-z]+)$/.exec(path)?.[1]
  const format = OUTPUT_FORMATS.find((each): each is Format => each === (ending === 'yml' ? 'yaml' : ending))
  if (!format || format === 'table') return background.notices.wait(`${path} not written: its ending names no format`)
  const rows = actedOn(store.get(), boards)
  let text = ''
  const sink = {
    write: (part: string) => {
      text += part
      return true
    },
  }
  const columns = offeredColumns(store.get(), listOfScreen(store.get().screen)).map(({ name }) => name)
  const out = { format, columns, fields: undefined, color: false, isCsvSafe: false, query: undefined }
  await printRecords({ ...out, io: { stdout: sink, stderr: { write: () => true } } }, onePage(rows))
  try {
    // An existing file is never overwritten.
    await writeFile(path, text, { flag: 'wx', mode: 0o600 })
    background.notices.done(`Wrote ${rows.length} to ${path}`)
  } catch (error) {
    background.notices.problem(fileProblem(error, path), '')
  }
}

async function* onePage<Row>(rows: readonly Row[]): AsyncGenerator<readonly Row[]> {
  yield rows
}

/** A CrmError that states why a new file could not be written; any error not from the system is returned unchanged. */
export function fileProblem(error: unknown, path: string): unknown {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return error
  const reason = error.code === 'EEXIST' ? 'it exists already' : error.message
  return new CrmError('machine', `cannot write ${path}: ${reason}`, { cause: error, hint: 'name another file' })
}
