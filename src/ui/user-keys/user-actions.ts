import type { CrmRecord } from '../../core/resources/registry.ts'
import { confirmChanges } from '../actions/ask-changes.ts'
import { keyLabel } from '../actions/keymap.ts'
import { reloadScreen } from '../actions/view.ts'
import type { ShellEnd } from '../background/shell.ts'
import { actedOn } from '../board.ts'
import { openText } from '../overlay-keys.ts'
import type { ScreenName } from '../screens.ts'
import type { Action, Ui } from '../ui.ts'
import type { UserKey } from './read-user-keys.ts'

export function userActions(keys: readonly UserKey[]): readonly Action[] {
  return keys.map(
    (key): Action => ({
      id: `browse.yaml ${key.chords}`,
      title: `${key.description} (browse.yaml)`,
      screens: key.screens,
      keys: [key.chords],
      isOfMarks: true,
      refusal: ({ shellTitle }) => (shellTitle === undefined ? undefined : `${shellTitle} is running; Ctrl-C ends it`),
      run: (ui) => begin(ui, key),
    }),
  )
}

function begin(ui: Ui, key: UserKey): void {
  const { screen } = ui.store.get()
  const rows = actedOn(ui.store.get(), ui.boards)
  if (rows.length === 0) return void ui.background.notices.wait(`${key.description}: there is no row for it`)
  if (key.isConfirmed) ask(ui, key, { screen, rows })
  else void run(ui, key, { screen, rows })
}

type On = { readonly screen: ScreenName; readonly rows: readonly CrmRecord[] }

function ask(ui: Ui, key: UserKey, on: On): void {
  const { place } = ui.store.get()
  const count = on.rows.length
  const records = count === 1 ? '1 record' : `${count} records`
  confirmChanges(ui, {
    title: `${key.description}: ${records} of ${place.isProtected ? 'the protected ' : ''}${place.text}?`,
    lines: [`sh -c runs: ${key.command.trim()}`],
    verb: 'Run',
    count,
    onConfirm: () => void run(ui, key, on),
  })
}

async function run(ui: Ui, key: UserKey, on: On): Promise<void> {
  const { notices, shell, commands } = ui.background
  const { chords, description, command, output } = key
  const given = { title: description, command, input: on.rows.map((row) => `${JSON.stringify(row)}\n`).join('') }
  commands.remark(`${keyLabel(chords)} of browse.yaml ran: ${description}`)
  try {
    if (output === 'terminal') await onTerminal(ui, key, given)
    else showEnd(ui, key, await shell.run(given))
  } catch (error) {
    notices.problem(error, `${description}: `)
  }
  if (key.isReloading) reloadScreen(ui, on.screen)
}

function showEnd(ui: Ui, { description, output }: UserKey, { isSuccess, how, lines }: ShellEnd): void {
  const { notices } = ui.background
  const last = lines.findLast((line) => line.trim() !== '')?.trim()
  const isInPane = output === 'pane' && lines.length > 0
  const shown = isInPane ? undefined : last
  if (isSuccess) notices.done(`${description}: ${shown ?? 'done'}`)
  else notices.failed([description, how, ...(last === undefined ? [] : [last])].join(': '))
  if (isInPane || (!isSuccess && lines.length > 1)) openText(ui, `${description} (${how})`, lines)
}

async function onTerminal({ background, suspend }: Ui, { description }: UserKey, given: Given): Promise<void> {
  const { notices, shell } = background
  let end: Awaited<ReturnType<typeof shell.runOnTerminal>> | undefined
  await suspend(async () => {
    end = await shell.runOnTerminal(given)
  })
  if (end?.isSuccess) notices.done(`${description}: done`)
  else notices.failed(`${description}: ${end?.how ?? 'not run'}`)
}

type Given = Parameters<Ui['background']['shell']['run']>[0]
