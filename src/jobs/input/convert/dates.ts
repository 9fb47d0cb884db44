import { CrmError } from '../../../core/errors.ts'

/** The order of day, month and year. */
export const DATE_ORDERS = ['DMY', 'MDY', 'YMD'] as const

export type DateOrder = (typeof DATE_ORDERS)[number]

/** A date as ISO 8601 writes it; undefined for any other text. */
export type ReadDate = (text: string) => string | undefined

const ISO = /^(?<y>\d{4})-(?<m>\d\d)-(?<d>\d\d)$/

const PARTS: Readonly<Record<string, string>> = {
  D: String.raw`(?<d>\d{1,2})`,
  M: String.raw`(?<m>\d{1,2})`,
  Y: String.raw`(?<y>\d{4})`,
  YY: String.raw`(?<yy>\d\d)`,
}

/** Reads dates of some shapes, `D.M.Y|M/D/YY`, and those of ISO 8601, which no other shape resembles. */
export function dateReader(shapes: string, flag: string): ReadDate {
  return readerOf([ISO, ...shapes.split('|').map((shape) => shapeOf(shape.trim(), flag))])
}

/** Reads dates in this order, with points, slashes, hyphens or spaces, and those of ISO 8601. */
export function orderedDateReader(order: DateOrder): ReadDate {
  const [first = '', second = '', third = ''] = [...order].map((part) => PARTS[part] ?? '')
  return readerOf([ISO, new RegExp(String.raw`^${first}(?<mark>[./ -]) ?${second}\k<mark> ?${third}$`)])
}

function shapeOf(shape: string, flag: string): RegExp {
  const words = shape.match(/YY|[DMY]|[^DMY]+/g) ?? []
  const letters = words.filter((word) => word in PARTS).map((word) => word.slice(0, 1))
  if (letters.toSorted().join('') !== 'DMY') {
    throw new CrmError('usage', `${flag}: ${JSON.stringify(shape)} is no shape of a date`, {
      hint: 'D, M and Y (or YY) once each, as the file writes them: date(D.M.Y), date(M/D/YY), or both: date(D.M.Y|M/D/YY)',
    })
  }
  return new RegExp(
    `^${words.map((word) => PARTS[word] ?? word.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)).join('')}$`,
  )
}

function readerOf(patterns: readonly RegExp[]): ReadDate {
  return (text) => {
    for (const pattern of patterns) {
      const { groups } = pattern.exec(text.trim()) ?? {}
      const date = groups && isoOf(groups)
      if (date !== undefined) return date
    }
    return undefined
  }
}

/** Two digits of a year are those of POSIX: 69 to 99 are in the last century. */
function isoOf({ y, yy = '', m = '', d = '' }: Readonly<Record<string, string | undefined>>): string | undefined {
  const year = y === undefined ? Number(yy) + (Number(yy) < 69 ? 2000 : 1900) : Number(y)
  const text = [String(year).padStart(4, '0'), m.padStart(2, '0'), d.padStart(2, '0')].join('-')
  const date = new Date(`${text}T00:00:00Z`)
  // 31 February would become a day of March.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text) ? text : undefined
}
