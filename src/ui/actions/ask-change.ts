import type { CrmRecord } from '../../core/resources/registry.ts'
import { loadPipelineStages } from '../background/pipeline-stages.ts'
import { changeableMembers, checkedAssignment, editsOf } from '../list/assignment.ts'
import { completeChange, valueStart } from '../list/complete-change.ts'
import type { ServerList } from '../screens.ts'
import { actedOn, serverList } from '../selected.ts'
import { showOverlay } from '../show-overlay.ts'
import { rowsText } from '../text/change-text.ts'
import { refusalOf, textInput } from '../text/text-input.ts'
import type { Ui } from '../ui.ts'
import { askChanges } from './ask-changes.ts'

/** Asks for a member and its new value in the marked rows; a stage is checked against the pipelines of the deals. */
export function askChange(ui: Ui): void {
  const { store, background, boards } = ui
  const rows = actedOn(store.get(), boards)
  if (rows.length === 0) return void background.notices.wait('There is no row to change')
  const name = serverList(store.get())
  const { complete, parse } = changeOf(ui, name, rows)
  showOverlay(ui, {
    type: 'prompt',
    label: `Change in ${rowsText(rows, 'rows')} (member=value):`,
    input: textInput(),
    enter: () => 'shows the plan',
    complete,
    wordStart: valueStart,
    refusal: (text) => refusalOf(() => parse(text)),
    onSubmit: (text) => {
      const changes = editsOf(rows, Object.fromEntries([parse(text)]))
      if (changes.length > 0) askChanges(ui, { name, changes })
      else background.notices.wait('All of them have this value already; nothing was sent')
    },
  })
}

function changeOf({ store, world }: Ui, name: ServerList, rows: readonly CrmRecord[]) {
  const stages = name === 'deals' ? loadPipelineStages(rows, world.openApi) : undefined
  return {
    complete: (text: string) => {
      const { lists, offered } = store.get()
      const members = changeableMembers(name, lists[name].rows, offered.fields[name])
      const known = stages?.names() ?? []
      return completeChange(text, { members, values: known.length > 0 ? { stage: known } : {}, rows: lists[name].rows })
    },
    parse: (text: string) => {
      const { lists, offered } = store.get()
      const assignment = checkedAssignment(text, name, lists[name].rows, offered.fields[name])
      const [member, value] = assignment
      if (member === 'stage' && typeof value === 'string') stages?.check(value)
      return assignment
    },
  }
}
