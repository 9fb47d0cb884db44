const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'] as const

/** A bar of at most `width` columns for a share from 0 to 1; a share above 0 is never drawn as an empty bar. */
export function barText(share: number, width: number): string {
  const eighths = Math.round(Math.max(0, Math.min(1, share)) * width * 8)
  if (eighths === 0) return share > 0 ? EIGHTHS[1] : ''
  return '█'.repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8]
}
