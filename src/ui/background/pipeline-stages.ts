import type { Api } from '../../api/api.ts'
import { CrmError } from '../../core/errors.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { cellText } from '../../output/safe-text.ts'

/** The stages of the pipelines of some deals, as far as they are known yet. */
export interface PipelineStages {
  /** The names that every pipeline has, in the order of the first. */
  names(): readonly string[]
  /** CrmError `invalid_input` for a stage that one of the pipelines does not have, or while that is not known yet. */
  check(stage: string): void
  /** Resolves when they are loaded, or cannot be. */
  readonly loaded: Promise<void>
}

interface Pipeline {
  readonly id: string
  readonly stages: readonly string[]
}

/** Deals without a pipeline, and servers that do not list stages, leave the check to the server. */
export function loadPipelineStages(deals: readonly CrmRecord[], openApi: () => Promise<Api>): PipelineStages {
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
    names: () => commonNames(pipelines ?? []),
    check: (stage) => {
      if (!pipelines) {
        throw new CrmError('invalid_input', 'the stages of the pipeline are being loaded', {
          hint: 'Enter again checks it',
        })
      }
      const lacking = pipelines.find(({ stages }) => stages.length > 0 && !stages.includes(stage))
      if (!lacking) return
      throw new CrmError('invalid_input', `pipeline ${lacking.id} has no stage ${JSON.stringify(stage)}`, {
        hint: `it has ${lacking.stages.join(', ')}`,
      })
    },
  }
}

function commonNames([first, ...others]: readonly Pipeline[]): readonly string[] {
  return first?.stages.filter((stage) => others.every(({ stages }) => stages.includes(stage))) ?? []
}
