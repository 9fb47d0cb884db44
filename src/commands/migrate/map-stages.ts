import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { shellWord } from '../../core/shell-words.ts'
import type { MissingStage } from '../../migration/stages.ts'
import { writeNoteLine } from '../../output/safe-text.ts'

/** `--map-stage OLD=NEW`. */
export function parseMappedStages(texts: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const text of texts) {
    const at = text.indexOf('=')
    const [old, other] = [text.slice(0, at).trim(), text.slice(at + 1).trim()]
    if (at < 1 || old === '' || other === '') {
      throw new CrmError('usage', `--map-stage ${JSON.stringify(text)}: expected OLD=NEW`, {
        hint: "such as --map-stage 'Closed won=Won'",
      })
    }
    if (names.has(old)) {
      throw new CrmError('usage', `--map-stage names ${JSON.stringify(old)} twice`, { hint: 'leave one of them out' })
    }
    names.set(old, other)
  }
  return names
}

/** CrmError `invalid_input` after all stages without a counterpart were printed. */
export function refuseStages(ctx: Pick<Context, 'io'>, missing: readonly MissingStage[]): void {
  const [first] = missing
  if (!first) return
  for (const { stage, pipeline, reason } of missing) {
    const where = pipeline === undefined ? '' : ` of the pipeline ${JSON.stringify(pipeline)}`
    writeNoteLine(ctx.io.stderr, `Stage ${JSON.stringify(stage)}${where}: ${reason}`)
  }
  const what = missing.length === 1 ? '1 stage has' : `${missing.length} stages have`
  throw new CrmError('invalid_input', `${what} no counterpart on the target; nothing was sent`, {
    hint: `name one for each, such as --map-stage ${shellWord(`${first.stage}=NEW`)}; crm pipelines list -p PROFILE shows those of the target`,
  })
}
