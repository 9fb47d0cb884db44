import { CrmError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources.ts'
import { safeText } from '../../output/safe-text.ts'
import type { Form, FormField } from '../overlay.ts'
import type { Ui } from '../ui.ts'
import { formFields, formPatch, withProblems } from './record-form.ts'

export interface FormRequest {
  readonly title: string
  readonly known: readonly string[]
  /** Undefined for a new one. */
  readonly record: CrmRecord | undefined
  /** Sends it; what it throws stands in the form, with all that was typed. `isAgain` after a conflict. */
  readonly send: (patch: JsonObject, isAgain: boolean) => Promise<void>
}

/** A form stays open until the server has taken what it holds. */
export function openForm({ store, work }: Ui, { title, known, record, send }: FormRequest): void {
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
      await send(patch, isAgain)
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
      work.notices.problem(error, `${title}: `)
    }
  }

  store.update((state) => ({
    ...state,
    overlay: {
      type: 'form',
      title,
      fields: formFields(known, record),
      index: 0,
      isSending: false,
      problem: undefined,
      onSubmit: (fields) => void submit(fields),
    },
  }))
}
