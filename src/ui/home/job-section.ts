import type { CrmRecord } from '../../core/resources/registry.ts'
import { cellText } from '../../output/safe-text.ts'
import { toneOf } from '../draw/tones.ts'
import type { ListState } from '../list/list-state.ts'
import type { State } from '../state.ts'
import { shortTime } from '../text/short-time.ts'
import type { HomeSection } from './section.ts'

const MOST_JOBS = 5

/** The last jobs of this server that were made on this machine. */
export function jobSection({ lists: { jobs }, times }: State): HomeSection {
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
