interface Deleted {
  readonly fileCount: number
  readonly sizeBytes: number
  /** Since a file was written to: of the one where that is longest ago, and of the last one. */
  readonly oldestMs: number
  readonly youngestMs: number
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const

/** What `--keep` took from the event log: whose events are gone is to know when they came. */
export function deletedNote({ fileCount, sizeBytes, oldestMs, youngestMs }: Deleted): string {
  const files = fileCount === 1 ? '1 file' : `${fileCount} files`
  const [oldest, youngest] = [ageText(oldestMs), ageText(youngestMs)]
  const ages = oldest === youngest ? oldest : `${youngest} to ${oldest}`
  return `Deleted ${files} of the event log, as --keep says: last written to ${ages} ago, ${(sizeBytes / 1e6).toFixed(1)} MB.`
}

function ageText(ageMs: number): string {
  const [name, unitMs] = UNITS.find(([, ms]) => ageMs >= ms) ?? ['second', 1000]
  const count = Math.max(0, Math.floor(ageMs / unitMs))
  return `${count} ${name}${count === 1 ? '' : 's'}`
}
