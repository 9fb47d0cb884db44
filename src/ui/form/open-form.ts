import { CrmError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources.ts'
import { safeText } from '../../output/safe-text.ts'
import { rowId } from '../list/list-state.ts'
import type { Form, FormField } from '../overlay.ts'
import type { Ui } from '../ui.ts'
import { nameOf } from '../work/deletions.ts'
import type { ServerList } from '../work/loading.ts'
import { leadOf, lookText } from '../work/notices.ts'
import { FORM_FIELDS, formFields, formPatch, withProblems } from './record-form.ts'

const NEW = { contacts: 'New contact', deals: 'New deal (deals cannot be deleted)' } as const

/**
 * A form for a record, or for a new one where it is undefined. It stays open until the server has taken what it holds: what the
 * server says against that stands in it, with all that was typed.
 */
export function openForm({ store, work }: Ui, list: ServerList, record: CrmRecord | undefined): void {
  const title = record ? `Edit ${nameOf(record)}` : NEW[list]
  const look = record ? lookText(list, rowId(record) ?? '') : `crm ${list} list shows whether it is there`
  const send = (patch: JsonObject) =>
    record ? work.writes.update(list, record, patch, isAgain) : work.writes.create(list, patch)
  // After a conflict what was typed is sent all the same.
  let isAgain = false
  const change = (edit: (form: Form) => Form | undefined) =>
    store.update((state) => (state.overlay?.type === 'form' ? { ...state, overlay: edit(state.overlay) } : state))

  async function submit(fields: readonly FormField[]): Promise<void> {
    try {
      const patch = formPatch(fields)
      if (Object.keys(patch).length === 0) {
        change(() => undefined)
        return work.notices.wait('Nothing was changed, and nothing sent')
      }
      await send(patch)
      change(() => undefined)
    } catch (error) {
      if (!(error instanceof CrmError)) throw error
      isAgain = error.code === 'precondition_failed'
      const { message, details } = error
      const problem = isAgain
        ? `somebody changed it since; Ctrl-S once more overwrites that: ${message}`
        : `${message}; ${details.hint}`
      change((form) => ({
        ...form,
        isSending: false,
        fields: withProblems(form.fields, message),
        problem: safeText(problem),
      }))
      work.notices.problem(error, leadOf(error, { failed: `${title}: `, open: `${title} (${look}): ` }))
    }
  }

  store.update((state) => ({
    ...state,
    overlay: {
      type: 'form',
      title,
      fields: formFields(FORM_FIELDS[list], record),
      index: 0,
      isSending: false,
      problem: undefined,
      onSubmit: (fields) => void submit(fields),
    },
  }))
}
