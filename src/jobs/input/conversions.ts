import { CrmError } from '../../core/errors.ts'
import { parseExactJson } from '../../core/json.ts'
import type { Convert } from './cell-values.ts'
import type { Mapping } from './columns.ts'
import type { FindingCode, RowOptions } from './row.ts'

type ConversionOptions = Pick<RowOptions, 'decimal' | 'dateOrder'>

/** Gives each column the conversion that `--map` names for it. */
export async function withConversions(
  mappings: ReadonlyMap<string, Mapping>,
  options: ConversionOptions,
): Promise<ReadonlyMap<string, Mapping>> {
  const found = new Map<string, Mapping>()
  for (const [name, mapping] of mappings) {
    const { conversion } = mapping
    found.set(name, conversion ? { ...mapping, convert: await converterFor(conversion, options) } : mapping)
  }
  return found
}

/** The text in the form in which it is stored; undefined if it is not valid. */
type Read = (text: string) => string | undefined

async function converterFor(
  { name, argument }: NonNullable<Mapping['conversion']>,
  { decimal = 'point', dateOrder }: ConversionOptions,
): Promise<Convert> {
  const flag = `--map ${name}(${argument ?? ''})`
  switch (name) {
    case 'phone': {
      const expected =
        argument === undefined ? 'number with its country code, such as +41443643532' : 'telephone number'
      return converter(await phoneReader(argument, flag), 'not_a_phone', `expected a ${expected}`)
    }
    case 'email':
      if (argument === undefined) return converter(readEmail, 'not_an_email', 'expected an email address')
      throw new CrmError('usage', `${flag}: email takes nothing in parentheses`, { hint: '--map COLUMN=email:email' })
    case 'number':
      if (argument === undefined) return decimalConverter(decimal)
      return numberConverter([numberFormatOf(argument, flag)], `as ${argument}`)
    case 'date': {
      const [patterns, expected] =
        argument === undefined ? orderOf(dateOrder) : [shapesOf(argument, flag), `as ${argument}, or 2026-01-31`]
      return converter((text) => readDate(text.trim(), patterns), 'not_a_date', `expected a date ${expected}`)
    }
  }
}

function converter(read: Read, code: FindingCode, message: string): Convert {
  return (text) => {
    const value = read(text)
    return value === undefined ? { fault: { code, message } } : { value }
  }
}

/** Telephone numbers in E.164 form, without extensions. `country` is for numbers without a country code; undefined: they are invalid. */
async function phoneReader(country: string | undefined, flag: string): Promise<Read> {
  // Loaded only then: its table of numbering plans has 80 kB.
  const { isSupportedCountry, parsePhoneNumberFromString } = await import('libphonenumber-js/min')
  const code = country?.toUpperCase()
  if (code !== undefined && !isSupportedCountry(code)) {
    throw new CrmError('usage', `${flag}: ${JSON.stringify(country)} is no country`, {
      hint: 'expected its two letters (ISO 3166), such as phone(CH)',
    })
  }
  const options = { ...(code !== undefined && { defaultCountry: code }), extract: false }
  return (text) => {
    const number = parsePhoneNumberFromString(text, options)
    return number?.isValid() && number.ext === undefined ? number.number : undefined
  }
}

const WRAPPED = /^(?:mailto:(?<link>[^?]+)(?:\?.*)?|.*<\s*(?:mailto:)?(?<named>[^<>]+)\s*>)$/is

const LOCAL = /^[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u

const LABEL = /^[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?$/u

/** RFC 5321, 4.5.3.1. */
const LONGEST = { local: 64, address: 254 }

/** The bare address in lower case; undefined if it is not an address. A quoted local part is refused. */
function readEmail(text: string): string | undefined {
  const { link, named } = WRAPPED.exec(text.trim())?.groups ?? {}
  const address = (link ?? named ?? text).trim().normalize('NFC').toLowerCase()
  const at = address.lastIndexOf('@')
  const [local, domain] = [address.slice(0, Math.max(0, at)), address.slice(at + 1)]
  const labels = domain.split('.')
  const isDomain = labels.length > 1 && labels.every((label) => LABEL.test(label)) && !/^\d+$/.test(labels.at(-1) ?? '')
  if (!isDomain || !LOCAL.test(local)) return undefined
  return local.length <= LONGEST.local && address.length <= LONGEST.address ? address : undefined
}

const ISO = /^(?<y>\d{4})-(?<m>\d\d)-(?<d>\d\d)$/

const PARTS: Readonly<Record<string, string>> = {
  D: String.raw`(?<d>\d{1,2})`,
  M: String.raw`(?<m>\d{1,2})`,
  Y: String.raw`(?<y>\d{4})`,
  YY: String.raw`(?<yy>\d\d)`,
}

/** The patterns of some shapes, `D.M.Y|M/D/YY`. */
function shapesOf(shapes: string, flag: string): readonly RegExp[] {
  return shapes.split('|').map((each) => {
    const shape = each.trim()
    const words = shape.match(/YY|[DMY]|[^DMY]+/g) ?? []
    const letters = words.filter((word) => word in PARTS).map((word) => word.slice(0, 1))
    if (letters.toSorted().join('') !== 'DMY') {
      throw new CrmError('usage', `${flag}: ${JSON.stringify(shape)} is no shape of a date`, {
        hint: 'D, M and Y (or YY) once each, as the file writes them: date(D.M.Y), date(M/D/YY), or both: date(D.M.Y|M/D/YY)',
      })
    }
    return new RegExp(`^${words.map((word) => PARTS[word] ?? escaped(word)).join('')}$`)
  })
}

/** Dates in this order, with points, slashes, hyphens or spaces. */
function orderOf(order: RowOptions['dateOrder']): readonly [readonly RegExp[], expected: string] {
  if (order === undefined) {
    throw new CrmError('usage', '--map …:date does not say which number is the day', {
      hint: 'expected the shape, such as date(D.M.Y), or --date-format DMY',
    })
  }
  const [first, second, third] = [...order].map((part) => PARTS[part])
  const pattern = new RegExp(String.raw`^${first}(?<mark>[./ -]) ?${second}\k<mark> ?${third}$`)
  return [[pattern], `in the order ${order}`]
}

/** A date as ISO 8601 writes it, which no other shape resembles. */
function readDate(text: string, patterns: readonly RegExp[]): string | undefined {
  for (const pattern of [ISO, ...patterns]) {
    const { y, yy = '', m = '', d = '' } = pattern.exec(text)?.groups ?? {}
    // Two digits of a year are those of POSIX: 69 to 99 are in the last century.
    const year = y ?? Number(yy) + (Number(yy) < 69 ? 2000 : 1900)
    const date = `${year}-${m.padStart(2, '0')}-${d.padStart(2, '0')}`
    const time = new Date(`${date}T00:00:00Z`)
    // 31 February would become a day of March.
    if (!Number.isNaN(time.getTime()) && time.toISOString().startsWith(date)) return date
  }
  return undefined
}

/** How numbers are written: `1.234,50 EUR` has a comma, groups by points, and a unit. */
interface NumberFormat {
  readonly decimal: string | undefined
  readonly group: string | undefined
  /** Text before and after the number, which a cell may have, too. */
  readonly units: readonly string[]
}

/** `--decimal`: with or without groups of three digits. */
export function decimalConverter(decimal: NonNullable<RowOptions['decimal']>): Convert {
  const [mark, other, example] = decimal === 'comma' ? [',', '.', '1.234,50'] : ['.', ',', '1,234.50']
  const formats = [other, ' ', "'"].map((group) => ({ decimal: mark, group, units: [] }))
  return numberConverter(formats, `such as ${example}`)
}

function numberConverter(formats: readonly NumberFormat[], expected: string): Convert {
  const readers = formats.map(numberReader)
  return (text) => {
    for (const read of readers) {
      const number = read(text)
      if (number !== undefined) return { value: parseExactJson(number) }
    }
    return { fault: { code: 'not_a_number', message: `expected a number ${expected}` } }
  }
}

const EXAMPLE = /^([^\d+-]*)(\d[\d.,' ]*)(\D*)$/

/** The format of an example such as `1.234,50`; CrmError `usage` if it shows none. */
export function numberFormatOf(example: string, flag: string): NumberFormat {
  const [, before = '', digits = '', after = ''] = EXAMPLE.exec(spaced(example)) ?? []
  const number = digits.trim()
  const marks = [...new Set(number.replace(/\d/g, ''))]
  const last = marks.at(-1)
  const parts = number.split(last ?? '')
  // Three digits after the only mark are a group: 1.234 has no decimals.
  const isGroup = marks.length === 1 && (parts.at(-1)?.length === 3 || parts.length > 2)
  const decimal = isGroup ? undefined : last
  const group = isGroup ? last : marks.find((mark) => mark !== decimal)
  const format = { decimal, group, units: [before.trim(), after.trim()].filter(Boolean) }
  const isValid = marks.length <= 2 && (decimal === undefined || '.,'.includes(decimal))
  if (isValid && numberReader(format)(number) !== undefined) return format
  throw new CrmError('usage', `${flag}: ${JSON.stringify(example)} is no example of a number`, {
    hint: 'write one as the file does, such as number(1.234,50), number(1234.50) or number(1.234,50 EUR)',
  })
}

/** Reads a number as JSON writes it, with all its digits. */
function numberReader({ decimal, group, units }: NumberFormat): Read {
  const whole = group === undefined ? String.raw`\d+` : String.raw`\d+|\d{1,3}(?:${escaped(group)}\d{3})+`
  const rest = decimal === undefined ? '' : String.raw`(?:${escaped(decimal)}(\d+))?`
  const pattern = new RegExp(`^([+−–-]?)(${whole})${rest}$`)
  return (text) => {
    let bare = spaced(text)
    for (const unit of units) {
      if (bare.startsWith(unit)) bare = bare.slice(unit.length).trim()
      else if (bare.endsWith(unit)) bare = bare.slice(0, -unit.length).trim()
    }
    const [, sign = '', digits, fraction] = pattern.exec(bare) ?? []
    if (digits === undefined) return undefined
    const plain = digits.replace(/\D/g, '').replace(/^0+(?=\d)/, '')
    return `${/[−–-]/.test(sign) ? '-' : ''}${plain}${fraction === undefined ? '' : `.${fraction}`}`
  }
}

/** With blanks in place of what spreadsheets put between groups of three digits. */
function spaced(text: string): string {
  return text.replace(/[\u00a0\u202f\u2009]/g, ' ').trim()
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
}
