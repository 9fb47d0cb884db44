import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { resourceNamed } from '../../core/resources/registry.ts'
import { askTyped } from '../../output/prompt.ts'
import { writeNoteLine } from '../../output/safe-text.ts'
import type { Question } from '../../probe/openapi/decisions.ts'
import type { Draft, DraftRequest } from '../../probe/openapi/make-draft.ts'

/** Asks the user every question that the draft raises, once. An empty answer skips the question. */
export async function askOpen(
  ctx: Context,
  given: DraftRequest['answers'],
  make: (answers: DraftRequest['answers']) => Promise<Draft>,
  first?: Draft,
): Promise<Draft> {
  const asked = new Set<string>()
  let answers = given
  let draft = first ?? (await make(answers))
  for (;;) {
    const next = [...draft.open, ...draft.remarks].find(({ question }) => question && !asked.has(question.id))
    if (!next?.question) return draft
    const { question } = next
    writeNoteLine(ctx.io.stderr, `${next.at}: ${next.text}`)
    const answer = await askChoice(ctx, question)
    if (answer === '') {
      asked.add(question.id)
      continue
    }
    try {
      const more = new Map([...answers, [question.id, answer]])
      draft = await make(more)
      answers = more
      asked.add(question.id)
    } catch (error) {
      if (!(error instanceof CrmError)) throw error
      writeNoteLine(ctx.io.stderr, `${error.message}; ${error.details.hint}`)
    }
  }
}

/** One of the choices by its number or its text, or another text where a path is asked for. */
async function askChoice(ctx: Context, { ask, choices, id }: Question): Promise<string> {
  for (const [index, choice] of choices.entries()) writeNoteLine(ctx.io.stderr, `  ${index + 1}  ${choice}`)
  for (;;) {
    const typed = await askTyped(ctx.io, `${ask} (Enter: leave it open) `, ctx.signal)
    const chosen = choices[Number(typed) - 1] ?? choices.find((choice) => choice === typed)
    if (typed === '' || chosen !== undefined) return chosen ?? ''
    if (choices.length === 0 || resourceNamed(id) !== undefined) return typed
    writeNoteLine(ctx.io.stderr, `expected a number from 1 to ${choices.length}`)
  }
}
