import { CrmError } from '../../../core/errors.ts'

/** How numbers are written: `1.234,50 EUR` has a comma, groups by points, and a unit. */
export interface NumberFormat {
  readonly decimal: string | undefined
  readonly group: string | undefined
  /** Text before and after the number, which a cell may have, too. */
  readonly units: readonly string[]
}

/** What spreadsheets put between groups of three digits instead of a space. */
const SPACES = /[\u00a0\u202f\u2009]/g

const EXAMPLE = /^([^\d+-]*)(\d[\d.,' ]*)(\D*)$/

/** The format of an example such as `1.234,50`; CrmError `usage` if it shows none. */
export function numberFormatOf(example: string, flag: string): NumberFormat {
  const [, before = '', digits = '', after = ''] = EXAMPLE.exec(example.replace(SPACES, ' ').trim()) ?? []
  const number = digits.trim()
  const marks = [...new Set(number.replace(/\d/g, ''))]
  const last = marks.at(-1)
  const units = [before.trim(), after.trim()].filter(Boolean)
  const tail = last === undefined ? '' : number.slice(number.lastIndexOf(last) + 1)
  // Three digits after the only mark are a group: 1.234 has no decimals.
  const isGroup = marks.length === 1 && (tail.length === 3 || number.split(last ?? '').length > 2)
  const decimal = isGroup ? undefined : last
  const group = isGroup ? last : marks.find((mark) => mark !== decimal)
  const format = { decimal, group, units }
  if (number !== '' && marks.length <= 2 && (decimal === undefined || '.,'.includes(decimal))) {
    if (readNumber(number, format) !== undefined) return format
  }
  throw new CrmError('usage', `${flag}: ${JSON.stringify(example)} is no example of a number`, {
    hint: 'write one as the file does, such as number(1.234,50), number(1234.50) or number(1.234,50 EUR)',
  })
}

/** `--decimal`: with or without groups of three digits. */
export function readWithDecimal(text: string, decimal: '.' | ','): string | undefined {
  const plain = text.replace(SPACES, ' ')
  for (const group of [decimal === ',' ? '.' : ',', ' ', "'"]) {
    const number = readNumber(plain, { decimal, group, units: [] })
    if (number !== undefined) return number
  }
  return undefined
}

/** The number as JSON writes it, with all its digits; undefined for any other text. */
export function readNumber(text: string, { decimal, group, units }: NumberFormat): string | undefined {
  const bare = withoutUnits(text.replace(SPACES, ' ').trim(), units).replace(/^[−–]/, '-')
  const [, sign = '', whole = '', fraction] = partsOf(bare, decimal)
  const groups = group === undefined ? [whole] : whole.split(group)
  const [first = '', ...others] = groups
  const isGrouped = others.length === 0 || (first.length <= 3 && others.every((each) => each.length === 3))
  if (!isGrouped || !groups.every((each) => /^\d+$/.test(each))) return undefined
  if (fraction !== undefined && !/^\d+$/.test(fraction)) return undefined
  const digits = groups.join('').replace(/^0+(?=\d)/, '')
  return `${sign === '-' ? '-' : ''}${digits}${fraction === undefined ? '' : `.${fraction}`}`
}

function partsOf(bare: string, decimal: string | undefined): readonly (string | undefined)[] {
  const [, sign, rest = ''] = /^([+-]?)(.*)$/s.exec(bare) ?? []
  const at = decimal === undefined ? -1 : rest.indexOf(decimal)
  return at < 0 ? [bare, sign, rest, undefined] : [bare, sign, rest.slice(0, at), rest.slice(at + 1)]
}

function withoutUnits(text: string, units: readonly string[]): string {
  let bare = text
  for (const unit of units) {
    if (bare.startsWith(unit)) bare = bare.slice(unit.length).trim()
    else if (bare.endsWith(unit)) bare = bare.slice(0, -unit.length).trim()
  }
  return bare
}
