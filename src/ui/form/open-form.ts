import { CrmError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import { type CrmRecord, RESOURCES, resourceOf } from '../../core/resources/registry.ts'
import { safeText } from '../../output/safe-text.ts'
import type { KeptForm } from '../../settings/kept-changes.ts'
import { leadOf, lookText } from '../background/notices.ts'
import { rowId } from '../list/list-state.ts'
import { type Form, type FormField, formIn, withForm } from '../overlay.ts'
import type { Offered, ServerList } from '../screens.ts'
import { showOverlay } from '../state.ts'
import { recordName } from '../text/change-text.ts'
import type { Ui } from '../ui.ts'
import { formFields, formPatch, withProblems, withTexts, withTheirs } from './record-form.ts'

export async function submitForm(ui: Pick<Ui, 'store'>, form: Form): Promise<void> {
  showOverlay(ui, { ...form, isSending: true, problem: undefined })
  await form.onSubmit(form.fields)
}

export type Typed = Pick<KeptForm, 'before' | 'texts' | 'problem'>

/**
 * Opens a form for a record, or for a new one when it is undefined. The form stays open, with the error of the server, until
 * the server accepts it.
 */
export function openForm(ui: Ui, list: ServerList, record: CrmRecord | undefined, typed?: Typed): void {
  const { offered } = ui.store.get()
  const title = record ? `Edit ${recordName(record)}` : newTitle(list, offered)
  const fields = formFields(list, record, offered.fields[list])
  showOverlay(ui, {
    ...{ type: 'form', key: Symbol(title), list, record, title, index: 0, isSending: false },
    fields: typed ? withTexts(fields, typed, list) : fields,
    problem: typed?.problem ?? undefined,
    onSubmit: submitOf(ui, { list, record, title }),
  })
}

function newTitle(list: ServerList, { lacks }: Offered): string {
  const { singular, plural } = RESOURCES[resourceOf(list)]
  return `New ${singular}${lacks[`delete ${list}`] === undefined ? '' : ` (${plural} cannot be deleted)`}`
}

function submitOf({ store, background }: Ui, { list, record, title }: Pick<Form, 'list' | 'record' | 'title'>) {
  const look = record ? lookText(list, rowId(record) ?? '') : `crm ${list} list shows whether it is there`
  const send = (patch: JsonObject, isAgain: boolean) =>
    record ? background.writes.update(list, record, patch, isAgain) : background.writes.create(list, patch)

  return async (fields: readonly FormField[]): Promise<void> => {
    const form = formIn(store.get().overlay)
    if (!form) return
    const change = (edit: (now: Form) => Form | undefined) =>
      store.update((state) => ({ ...state, overlay: withForm(state.overlay, form.key, edit) }))
    try {
      const patch = formPatch(fields)
      if (Object.keys(patch).length === 0) {
        change(() => undefined)
        return background.notices.wait('Nothing was changed, and nothing sent')
      }
      await send(patch, form.isConflict === true)
      change(() => undefined)
    } catch (error) {
      if (!(error instanceof CrmError)) throw error
      // A form that was closed while it was sent opens again, so that its text is not lost.
      store.update((state) => (state.overlay ? state : { ...state, overlay: form }))
      const isConflict = error.code === 'precondition_failed'
      const conflicts = isConflict && record ? await background.findConflicts(list, [{ row: record, patch: {} }]) : []
      const theirs = conflicts[0]?.change.row
      change((now) => withRefusal(theirs ? { ...now, fields: withTheirs(now.fields, theirs) } : now, error))
      background.notices.problem(error, leadOf(error, { failed: `${title}: `, open: `${title} (${look}): ` }))
    }
  }
}

function withRefusal(form: Form, { code, message, details }: CrmError): Form {
  const isConflict = code === 'precondition_failed'
  const problem = isConflict
    ? `the record was changed since; Ctrl-S again overwrites that: ${message}`
    : `${message}; ${details.hint}`
  const fields = isConflict ? form.fields : withProblems(form.fields, message)
  return { ...form, isSending: false, isConflict, fields, problem: safeText(problem) }
}
