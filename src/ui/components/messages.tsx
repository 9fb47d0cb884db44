import { safeText } from '../../output/safe-text.ts'
import { barText, textWidth, wrapText } from '../../output/terminal-text.ts'
import { fitCell } from '../list/columns.ts'
import { createTheme, type Theme } from '../look/theme.ts'
import type { State, Toast } from '../state.ts'
import { progressTexts } from '../text/change-text.ts'

/** Lines of one message; a remedy that does not fit takes more. */
const MOST_LINES = 3
const BARS_WIDTH = { least: 6, most: 40 } as const

export function messageLines(state: State, theme: Theme): readonly string[] {
  return [...sendingLines(state, theme), ...shellLine(state, theme), ...toastLines(state, theme)]
}

const UNPAINTED = createTheme('none')

export function messageRows(state: State): number {
  return messageLines(state, UNPAINTED).length
}

function sendingLines({ underWay, columns, leaving }: State, theme: Theme): readonly string[] {
  const shown = underWay.find(({ progress }) => progress !== undefined)
  if (!shown?.progress) return []
  const { what, progress } = shown
  const { total, ended, jobId, isStopping } = progress
  const share = total === 0 ? 1 : ended / total
  const counts = ` ${Math.floor(share * 100)} % · ${progressTexts(progress).join(' · ')}`
  const width = Math.max(BARS_WIDTH.least, Math.min(BARS_WIDTH.most, columns - textWidth(counts) - 2))
  const bar = `${barText(share, width)}${'░'.repeat(width)}`.slice(0, width)
  const how = jobId === undefined ? 'what is left stays edited' : `crm jobs resume ${jobId} goes on`
  const stop = isStopping
    ? 'Stopping after the requests that were sent'
    : leaving
      ? 'X stops, else quits after it'
      : 'X stops'
  const second = ` ${stop}; ${how} · ${safeText(what)}`
  const failed = fitCell(counts, columns - width - 1)
  return [
    ` ${theme.accent(bar)}${progress.failed > 0 ? theme.bad(failed) : failed}`,
    theme.dim(fitCell(second, columns)),
  ]
}

function shellLine({ shellTitle, columns }: State, theme: Theme): readonly string[] {
  if (shellTitle === undefined) return []
  return [theme.accent(fitCell(` … ${safeText(shellTitle)} is running; Ctrl-C ends it`, columns))]
}

const TOAST_SIGNS: Readonly<Record<Toast['type'], string>> = { done: '✓', problem: '!', wait: '·' }

/** The last message in up to three lines; its remedy is never the part that is cut. */
function toastLines({ toasts, columns }: State, theme: Theme): readonly string[] {
  const toast = toasts.at(-1)
  if (!toast) return [' '.repeat(columns)]
  const more = toasts.length > 1 ? ` (${toasts.length - 1} more: !)` : ''
  const clock = ` ${toast.seconds} s `
  const width = columns - 3 - textWidth(clock)
  const [first = '', ...rest] = textLines(`${toast.text}${toast.remedy === undefined ? more : ''}`, toast, more, width)
  const paint = toast.type === 'done' ? theme.good : toast.type === 'problem' ? theme.bad : theme.accent
  const head = paint(fitCell(` ${TOAST_SIGNS[toast.type]} ${first}`, columns - textWidth(clock))) + theme.dim(clock)
  return [head, ...rest.map((line) => paint(fitCell(`   ${line}`, columns)))]
}

function textLines(text: string, { remedy }: Toast, more: string, width: number): readonly string[] {
  if (remedy === undefined) return cutLines(wrapText(text, width), MOST_LINES, width)
  const whole = wrapText(`${text}; ${remedy}${more}`, width)
  if (whole.length <= MOST_LINES) return whole
  const remedyLines = wrapText(`${remedy}${more}`, width)
  const room = Math.max(1, MOST_LINES - remedyLines.length)
  return [...cutLines(wrapText(`${text};`, width), room, width), ...remedyLines]
}

function cutLines(lines: readonly string[], most: number, width: number): readonly string[] {
  if (lines.length <= most) return lines
  const last = `${lines[most - 1]?.trimEnd()} …`
  return [...lines.slice(0, most - 1), textWidth(last) <= width ? last : `${fitCell(last, width - 1).trimEnd()}…`]
}
