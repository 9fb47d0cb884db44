import { writeFile } from 'node:fs/promises'
import { rowId, shownCount } from '../list/list-state.ts'
import { chosenRows, moveTo } from '../list/list-view.ts'
import { listHeight } from '../look/areas.ts'
import { showOverlay } from '../show-overlay.ts'
import { withCurrentList } from '../state.ts'
import { textInput } from '../text/text-input.ts'
import type { Action, Ui } from '../ui.ts'
import { copyText, fileProblem } from './copy-export.ts'
import { openScreen } from './open-screen.ts'

const NONE = 'nothing was changed yet'

export const COMMAND_LOG: readonly Action[] = [
  {
    id: 'screen-commands',
    title: 'Go to the commands that would do what was done here',
    keys: ['@'],
    run: openCommands,
  },
  {
    id: 'copy-commands',
    title: 'Copy the command',
    isOfMarks: true,
    screens: ['commands'],
    keys: ['y'],
    footer: 'copy',
    refusal: ({ lists }) => (lists.commands.rows.length === 0 ? NONE : undefined),
    run: (ui) => void copyText(ui, linesOf(ui, chosenRows(ui.store.get().lists.commands)), 'command'),
  },
  {
    id: 'write-script',
    title: 'Write the marked commands, or all, to a script',
    isOfMarks: true,
    screens: ['commands'],
    keys: ['x'],
    footer: 'script',
    refusal: ({ lists }) => (lists.commands.rows.length === 0 ? NONE : undefined),
    run: askScript,
  },
]

/** With the cursor on the last one. */
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
  showOverlay(ui, {
    type: 'prompt',
    label: `Write ${chosen.length} ${chosen.length === 1 ? 'command' : 'commands'} to a new script:`,
    input: textInput('crm-commands.sh'),
    enter: () => 'writes it',
    onSubmit: (path) => void writeScript(ui, path, chosen),
  })
}

/** Private, as it holds records; an existing file is never overwritten. */
async function writeScript(ui: Ui, path: string, rows: Rows): Promise<void> {
  const { background, world } = ui
  const head = ['#!/bin/sh', `# Commands of crm browse, ${new Date(world.now()).toISOString()}`, 'set -e']
  try {
    await writeFile(path, `${[...head, linesOf(ui, rows)].join('\n')}\n`, { flag: 'wx', mode: 0o600 })
    background.notices.done(`Wrote ${rows.length} to ${path}: sh ${path} runs them`)
  } catch (error) {
    background.notices.problem(fileProblem(error, path), '')
  }
}
