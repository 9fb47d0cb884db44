import type { State } from '../state.ts'
import { createdSection } from './created-section.ts'
import { dealSections } from './deal-sections.ts'
import { jobSection } from './job-section.ts'
import type { HomeSection } from './section.ts'
import { webhookSection } from './webhook-section.ts'

/** The home screen in two columns, or one below the other. */
export function homeSections(state: State): readonly [readonly HomeSection[], readonly HomeSection[]] {
  const [pipeline, ...others] = dealSections(state)
  return [
    [...(pipeline ? [pipeline] : []), createdSection(state)],
    [...others, jobSection(state), webhookSection(state)],
  ]
}
