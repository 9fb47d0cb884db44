import { cellText } from '../../output/safe-text.ts'
import { resultTone } from '../draw/tones.ts'
import type { State } from '../state.ts'
import { shortTime } from '../text/short-time.ts'
import type { HomeSection } from './section.ts'

const MOST_SHOWN = 5

/** The subscriptions that are disabled, or of whose newest deliveries some failed. */
export function webhookSection({ lists, webhooks, times }: State): HomeSection {
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
