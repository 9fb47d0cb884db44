import type { CrmRecord } from '../../core/resources/registry.ts'
import { cellText } from '../../output/safe-text.ts'
import { resultTone, toneOf } from '../draw/tones.ts'
import type { ListState } from '../list/list-state.ts'
import type { State } from '../state.ts'
import { shortTime } from '../text/short-time.ts'
import { createdSection } from './created-section.ts'
import { dealSections } from './deal-sections.ts'
import type { HomeSection } from './section.ts'

const MOST_JOBS = 5

const MOST_SHOWN = 5

/** The home screen in two columns, or one below the other. */
export function homeSections(state: State): readonly [readonly HomeSection[], readonly HomeSection[]] {
  const [pipeline, ...others] = dealSections(state)
  return [
    [...(pipeline ? [pipeline] : []), createdSection(state)],
    [...others, jobSection(state), webhookSection(state)],
  ]
}

/** The subscriptions that are disabled, or of whose newest deliveries some failed. */
function webhookSection({ lists, webhooks, times }: State): HomeSection {
  const { rows, isComplete } = lists.webhooks
  const title = 'Webhooks failing'
  if (webhooks.lack !== undefined) return { title, basis: webhooks.lack, rows: [], notes: [] }
  if (!isComplete && rows.length === 0) return { title, basis: 'not read yet', rows: [], notes: [] }
  const bad = rows.filter(({ status, failing }) => status === 'disabled' || Number(failing ?? 0) > 0)
  const lacking = webhooks.deliveriesLack === undefined ? [] : [`Only disabled ones: ${webhooks.deliveriesLack}.`]
  return {
    title,
    basis: `${bad.length} of ${isComplete ? 'all ' : 'the first '}${rows.length} subscriptions`,
    rows: bad.slice(0, MOST_SHOWN).map(({ url, status, failing, looked_at: looked, last, last_at: at, older }) => ({
      label: cellText(url),
      values: [
        status === 'disabled'
          ? 'disabled'
          : `${cellText(failing)} of ${older === undefined ? '' : 'newest '}${cellText(looked)}`,
        cellText(last),
        shortTime(at, times.nowMs),
      ],
      tone: status === 'disabled' ? 'bad' : resultTone(cellText(last)),
    })),
    notes: [...(bad.length > MOST_SHOWN ? [`The first ${MOST_SHOWN} of ${bad.length}; 6 shows all.`] : []), ...lacking],
  }
}

/** The last jobs of this server that were made on this machine. */
function jobSection({ lists: { jobs }, times }: State): HomeSection {
  const { rows } = jobs
  const shown = rows.slice(0, MOST_JOBS)
  return {
    title: 'Last jobs',
    basis: basisOf(jobs),
    rows: shown.map((job) => ({
      label: cellText(job.what) || cellText(job.id),
      values: [countsText(job), cellText(job.state), shortTime(job.made_at, times.nowMs)],
      tone: Number(job.failed ?? 0) > 0 ? 'bad' : toneOf('state', job.state),
    })),
    notes: [],
  }
}

function basisOf({ rows, isComplete }: ListState): string {
  if (!isComplete) return 'not read yet'
  return rows.length === 0
    ? 'none of this server on this machine'
    : `of all ${rows.length} of this server on this machine`
}

function countsText({ done, rows, failed }: CrmRecord): string {
  if (done === undefined) return ''
  const bad = Number(failed ?? 0) > 0 ? `, ${cellText(failed)} failed` : ''
  return `${cellText(done)}/${cellText(rows)}${bad}`
}
