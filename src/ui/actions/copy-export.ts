import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { CrmError } from '../../core/errors.ts'
import { shellWord } from '../../core/shell-words.ts'
import { type Env, envWithoutSecrets } from '../../core/streams.ts'
import { printRecords } from '../../output/print-records.ts'
import { type Format, OUTPUT_FORMATS } from '../../output/record-output.ts'
import { cellText, jsonText } from '../../output/safe-text.ts'
import { REJECTED } from '../background/event-row.ts'
import { actedOn } from '../board.ts'
import { chosenRows, currentRow, moveTo, rowId, shownCount } from '../list/list-state.ts'
import { listHeight } from '../look/areas.ts'
import { offeredColumns } from '../screens/all-screens.tsx'
import { LIVE_SCREENS, listOfScreen, TABLE_SCREENS } from '../screens.ts'
import { askLine, currentList, withCurrentList } from '../state.ts'
import type { Action, Ui } from '../ui.ts'
import { action } from '../ui.ts'
import { openScreen } from './open-screen.ts'

/** The limit of hterm and tmux. */
const MOST_BYTES = 74_994

/** Uses `tmux load-buffer`, because by default tmux 3.3 and later ignore OSC 52 from programs. */
async function isInTmux(text: string, env: Env): Promise<boolean> {
  const child = spawn('tmux', ['load-buffer', '-w', '-'], {
    env: envWithoutSecrets(env),
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  child.stdin.on('error', () => {})
  child.stdin.end(text)
  // An error of spawn: there is no program of this name.
  const [exit] = await once(child, 'close').catch(() => [undefined])
  return exit === 0
}

export const COPY_EXPORT: readonly Action[] = [
  action('copy-id', 'y', 'Copy the id', {
    screens: LIVE_SCREENS,
    footer: 'copy id',
    isOfMarks: true,
    run: (ui) => void copyText(ui, ids(ui).join('\n'), 'id'),
  }),
  action('copy-cell', 'ctrl-y', 'Copy the value in the selected column', {
    screens: TABLE_SCREENS,
    run: (ui) => void copyText(ui, cellOf(ui), 'value'),
  }),
  action('copy-command', 'Y', 'Copy the crm command that shows it', {
    screens: LIVE_SCREENS,
    isOfMarks: true,
    run: (ui) => void copyText(ui, commandFor(ui), 'command'),
  }),
  action('export', 'x', 'Export the marked rows to a file', { screens: LIVE_SCREENS, isOfMarks: true, run: askExport }),
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

/**
 * In tmux into its buffer and, where tmux can, the clipboard; else by OSC 52, with which the terminal itself copies it, also over
 * ssh. A green check only where tmux states that it has the text: a terminal states nothing.
 */
export async function copyText({ world, background }: Ui, text: string, what: string, shown = shownOf(text)) {
  const { env, writeRaw } = world
  const { wait, done } = background.notices
  if (text === '') return wait(`There is no ${what} to copy`)
  if (env.TMUX && (await isInTmux(text, env)))
    return done(`Copied ${shown} to tmux, and to the clipboard where tmux sets it`)
  const data = Buffer.from(text).toString('base64')
  if (data.length > MOST_BYTES) return wait(`Too long for the clipboard: ${text.length} characters; x exports`)
  const sequence = `\x1b]52;c;${data}\x07`
  writeRaw(sequence)
  // A tmux on the way passes on what is wrapped for it, if it is allowed to.
  if (/^(?:tmux|screen)/.test(env.TERM ?? '')) writeRaw(`\x1bPtmux;${sequence.replaceAll('\x1b', '\x1b\x1b')}\x1b\\`)
  wait(`Sent ${shown} to the terminal to copy (OSC 52); terminals do not say whether they did`)
}

function shownOf(text: string): string {
  const lines = text.split('\n').length
  return lines > 1 ? `${lines} lines` : cellText(text.length > 40 ? `${text.slice(0, 39)}…` : text)
}

function askExport(ui: Ui): void {
  const { store, boards } = ui
  const count = actedOn(store.get(), boards).length
  const name = listOfScreen(store.get().screen)
  askLine(ui, {
    label: `Export ${count} ${name} to a new file (.csv .tsv .json .jsonl .yaml):`,
    ...{ text: `${name}.csv`, enter: 'writes it', onSubmit: (path) => void exportTo(ui, path) },
  })
}

async function exportTo(ui: Ui, path: string): Promise<void> {
  const { store, boards, background } = ui
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
  await writeNew(ui, path, text, `Wrote ${rows.length} to ${path}`)
}

/** Private, as it holds records; an existing file is never overwritten. */
async function writeNew({ background }: Ui, path: string, text: string, done: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: 'wx', mode: 0o600 })
    background.notices.done(done)
  } catch (error) {
    background.notices.problem(fileProblem(error, path), '')
  }
}

async function* onePage<Row>(rows: readonly Row[]): AsyncGenerator<readonly Row[]> {
  yield rows
}

/** A CrmError that states why a new file could not be written; any error not from the system is returned unchanged. */
function fileProblem(error: unknown, path: string): unknown {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return error
  const reason = error.code === 'EEXIST' ? 'it exists already' : error.message
  return new CrmError('machine', `cannot write ${path}: ${reason}`, { cause: error, hint: 'name another file' })
}

const NONE = 'nothing was changed yet'

export const COMMAND_LOG: readonly Action[] = [
  action('screen-commands', '@', 'Go to the commands that would do what was done here', { run: openCommands }),
  action('copy-commands', 'y', 'Copy the command', {
    screens: ['commands'],
    footer: 'copy',
    isOfMarks: true,
    refusal: ({ lists }) => (lists.commands.rows.length === 0 ? NONE : undefined),
    run: (ui) => void copyText(ui, linesOf(ui, chosenRows(ui.store.get().lists.commands)), 'command'),
  }),
  action('write-script', 'x', 'Write the marked commands, or all, to a script', {
    screens: ['commands'],
    footer: 'script',
    isOfMarks: true,
    refusal: ({ lists }) => (lists.commands.rows.length === 0 ? NONE : undefined),
    run: askScript,
  }),
]

function openCommands(ui: Ui): void {
  openScreen(ui, 'commands')
  ui.store.update((state) => withCurrentList(state, (list) => moveTo(list, shownCount(list) - 1, listHeight(state))))
}

type Rows = ReturnType<typeof chosenRows>

function linesOf({ background }: Ui, rows: Rows): string {
  return rows.map((row) => background.commands.scriptOf(rowId(row) ?? '')).join('\n')
}

function askScript(ui: Ui): void {
  const { marks, rows } = ui.store.get().lists.commands
  const chosen = marks.size > 0 ? chosenRows(ui.store.get().lists.commands) : rows
  askLine(ui, {
    label: `Write ${chosen.length} ${chosen.length === 1 ? 'command' : 'commands'} to a new script:`,
    ...{ text: 'crm-commands.sh', enter: 'writes it', onSubmit: (path) => void writeScript(ui, path, chosen) },
  })
}

async function writeScript(ui: Ui, path: string, rows: Rows): Promise<void> {
  const head = ['#!/bin/sh', `# Commands of crm browse, ${new Date(ui.world.now()).toISOString()}`, 'set -e']
  const text = `${[...head, linesOf(ui, rows)].join('\n')}\n`
  await writeNew(ui, path, text, `Wrote ${rows.length} to ${path}: sh ${path} runs them`)
}
