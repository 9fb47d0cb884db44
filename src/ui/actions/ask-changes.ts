import type { Api } from '../../api/api.ts'
import { CrmError } from '../../core/errors.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import type { ChosenChange } from '../../jobs/plan/make-selection.ts'
import { cellText } from '../../output/safe-text.ts'
import type { ChangesToSend } from '../background/send-changes.ts'
import { actedOn, serverList } from '../board.ts'
import { changeableMembers, checkedAssignment, completeChange, editsOf, valueStart } from '../list/assignment.ts'
import { invalidInput } from '../list/server-filters.ts'
import type { Confirmation, DiffLine } from '../overlay.ts'
import type { ServerList } from '../screens.ts'
import { askFirst, askLine } from '../state.ts'
import { countedParts, rowsText } from '../text/change-text.ts'
import { deletionDiff, editDiff } from '../text/diff.ts'
import { refusalOf } from '../text/text-input.ts'
import type { Ui } from '../ui.ts'

/** More changes than this are confirmed by typing their number. */
const MOST_BY_KEY = 20

export interface ChangeQuestion extends Pick<Confirmation, 'title' | 'verb' | 'diff' | 'onConfirm' | 'onCancel'> {
  readonly count: number
  readonly lines?: readonly string[]
}

/** Asks whether to make changes. Cancel is preselected; more than 20, and any on a protected profile, are typed. */
export function confirmChanges(ui: Pick<Ui, 'store'>, { count, lines = [], ...question }: ChangeQuestion): void {
  const { place } = ui.store.get()
  const expected = place.isProtected || count > MOST_BY_KEY ? String(count) : undefined
  askFirst(ui, { ...question, lines, expected })
}

const MOST_CONFLICTS = 3

export interface ChangesToAsk extends ChangesToSend {
  readonly lines?: readonly string[]
}

/** Shows changes of records as a plan, and sends them as a job once that is confirmed. */
export function askChanges(ui: Ui, { lines = [], ...toSend }: ChangesToAsk): void {
  const { changes } = toSend
  confirmChanges(ui, {
    title: `${planTitle(changes)} ${ui.store.get().place.text}?`,
    ...{ diff: changesDiff(changes), lines, verb: 'Send', count: changes.length },
    onConfirm: () => void sendChanges(ui, toSend),
  })
}

/** `Send 2 updates and 1 deletion to`. */
export function planTitle(changes: readonly ChosenChange[]): string {
  const deletion = changes.filter(({ patch }) => patch === null).length
  return `Send ${countedParts({ update: changes.length - deletion, deletion }).join(' and ')} to`
}

export function changesDiff(changes: readonly ChosenChange[]): readonly DiffLine[] {
  const edits = changes.flatMap(({ row, patch }) => (patch === null ? [] : [{ row, patch }]))
  return [...editDiff(edits), ...deletionDiff(changes.flatMap(({ row, patch }) => (patch === null ? [row] : [])))]
}

/** What others changed meanwhile is asked about again, as a plan over what they made of it. */
export async function sendChanges(ui: Ui, toSend: ChangesToSend): Promise<void> {
  const { store, background } = ui
  const conflicts = await background.sendChanges(toSend)
  if (conflicts.length === 0) return
  const texts = conflicts.slice(0, MOST_CONFLICTS).map(({ text }) => text)
  const more = conflicts.length > texts.length ? [`and ${conflicts.length - texts.length} more`] : []
  const lines = ['Changed by others since they were shown:', ...texts, ...more]
  if (store.get().overlay) return background.notices.wait([...lines, 'nothing of them was overwritten'].join(' '))
  askChanges(ui, { name: toSend.name, changes: conflicts.map(({ change }) => change), lines })
}

export interface PipelineStages {
  /** The names that every pipeline has, in the order of the first. */
  names(): readonly string[]
  /** CrmError `invalid_input` for a stage that one of the pipelines does not have, or while that is not known yet. */
  check(stage: string): void
  readonly loaded: Promise<void>
}

type Pipeline = { readonly id: string; readonly stages: readonly string[] }

/** Deals without a pipeline, and servers that do not list stages, leave the check to the server. */
function loadPipelineStages(deals: readonly CrmRecord[], openApi: () => Promise<Api>): PipelineStages {
  const ids = new Set(deals.map(({ pipeline_id: id }) => id).filter((id) => typeof id === 'string'))
  let pipelines: readonly Pipeline[] | undefined
  const load = async () => {
    const api = await openApi()
    const found: Pipeline[] = []
    for (const id of ids) {
      const stages: string[] = []
      for await (const { items } of api.stages(id).list()) stages.push(...items.map(({ name }) => cellText(name)))
      found.push({ id, stages: stages.filter((stage) => stage !== '') })
    }
    pipelines = found
  }
  const loaded = load().catch((error) => {
    if (!(error instanceof CrmError)) throw error
    pipelines = []
  })
  return {
    loaded,
    names: () => {
      const [first, ...others] = pipelines ?? []
      return first?.stages.filter((stage) => others.every(({ stages }) => stages.includes(stage))) ?? []
    },
    check: (stage) => {
      if (!pipelines) throw invalidInput('the stages of the pipeline are being loaded', 'Enter again checks it')
      const lacking = pipelines.find(({ stages }) => stages.length > 0 && !stages.includes(stage))
      if (!lacking) return
      const [what, hint] = [`has no stage ${JSON.stringify(stage)}`, `it has ${lacking.stages.join(', ')}`]
      throw invalidInput(`pipeline ${lacking.id} ${what}`, hint)
    },
  }
}

/** Asks for a member and its new value in the marked rows; a stage is checked against the pipelines of the deals. */
export function askChange(ui: Ui): void {
  const { store, background, boards } = ui
  const rows = actedOn(store.get(), boards)
  if (rows.length === 0) return void background.notices.wait('There is no row to change')
  const name = serverList(store.get())
  const { complete, parse } = changeOf(ui, name, rows)
  askLine(ui, {
    ...{ label: `Change in ${rowsText(rows, 'rows')} (member=value):`, enter: 'shows the plan' },
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
