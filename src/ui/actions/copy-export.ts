import { writeFile } from 'node:fs/promises'
import { CrmError } from '../../core/errors.ts'
import { shellWord } from '../../core/shell-words.ts'
import type { Env } from '../../core/streams.ts'
import { printRecords } from '../../output/print-records.ts'
import { type Format, OUTPUT_FORMATS } from '../../output/record-output.ts'
import { REJECTED } from '../background/event-row.ts'
import { rowId } from '../list/list-state.ts'
import { offeredColumns } from '../offered.ts'
import { listOfScreen, type ScreenOrObjects, SERVER_SCREENS } from '../screens.ts'
import { actedOn } from '../selected.ts'
import { textInput } from '../text/text-input.ts'
import type { Action, Ui } from '../ui.ts'

/** The limit of hterm and tmux. */
const MOST_BYTES = 74_994

const RECORDS: readonly ScreenOrObjects[] = [...SERVER_SCREENS, 'events', 'jobs', 'webhooks']

export const COPY_EXPORT: readonly Action[] = [
  {
    id: 'copy-id',
    isOfMarks: true,
    title: 'Copy the id',
    screens: RECORDS,
    keys: ['y'],
    footer: 'copy id',
    run: (ui) => copyText(ui, ids(ui).join('\n'), 'id'),
  },
  {
    id: 'copy-command',
    isOfMarks: true,
    title: 'Copy the crm command that shows it',
    screens: RECORDS,
    keys: ['Y'],
    run: (ui) => copyText(ui, commandFor(ui), 'command'),
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

function commandFor(ui: Ui): string {
  const { store, world } = ui
  const name = listOfScreen(store.get().screen)
  const profile = world.profileFlag === undefined ? '' : ` -p ${shellWord(world.profileFlag)}`
  const verb = name === 'jobs' ? 'jobs show' : name === 'events' ? 'webhooks events show' : `${name} get`
  return ids(ui)
    .map((id) => `crm ${verb} ${shellWord(id)}${profile}`)
    .join('\n')
}

/** The terminal does not confirm a copy, so the message names the terminal. */
export function copyText({ world, background }: Ui, text: string, what: string): void {
  if (text === '') return void background.notices.wait(`There is no ${what} to copy`)
  const sequence = clipboardSequence(text, world.env)
  if (sequence === undefined)
    return void background.notices.wait(`Too long for the clipboard: ${text.length} characters; x exports`)
  world.writeRaw(sequence)
  const shown = text.length > 40 ? `${text.split('\n').length} of them` : text
  background.notices.done(`Gave ${shown} to the terminal's clipboard (OSC 52)`)
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

/**
 * OSC 52: the terminal itself copies the text to the clipboard, also over ssh. tmux passes on a sequence that is wrapped for
 * it. Undefined for a text that is too long.
 */
export function clipboardSequence(text: string, env: Env): string | undefined {
  const data = Buffer.from(text).toString('base64')
  if (data.length > MOST_BYTES) return undefined
  const sequence = `\x1b]52;c;${data}\x07`
  return env.TMUX ? `\x1bPtmux;${sequence.replaceAll('\x1b', '\x1b\x1b')}\x1b\\` : sequence
}

/** A CrmError that states why a new file could not be written; any error not from the system is returned unchanged. */
export function fileProblem(error: unknown, path: string): unknown {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return error
  const reason = error.code === 'EEXIST' ? 'it exists already' : error.message
  return new CrmError('machine', `cannot write ${path}: ${reason}`, { cause: error, hint: 'name another file' })
}
