import { CrmError } from '../../../core/errors.ts'
import { parseExactJson } from '../../../core/json.ts'
import type { Convert, Mapping } from '../columns.ts'
import type { FindingCode, RowOptions } from '../row.ts'
import { dateReader, orderedDateReader } from './dates.ts'
import { numberFormatOf, readNumber, readWithDecimal } from './numbers.ts'

const WRAPPED = /^(?:mailto:(?<link>[^?]+)(?:\?.*)?|.*<\s*(?:mailto:)?(?<named>[^<>]+)\s*>)$/is

const LOCAL = /^[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u

const LABEL = /^[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?$/u

/** RFC 5321, 4.5.3.1. */
const LONGEST = { local: 64, address: 254 }

type ConversionOptions = Pick<RowOptions, 'decimal' | 'dateOrder'>

/** Gives each column the conversion that `--map` names for it. */
export async function withConversions(
  mappings: ReadonlyMap<string, Mapping>,
  options: ConversionOptions,
): Promise<ReadonlyMap<string, Mapping>> {
  const found = new Map<string, Mapping>()
  for (const [name, mapping] of mappings) {
    const convert = mapping.conversion && (await converterFor(mapping.conversion, options))
    found.set(name, convert ? { ...mapping, convert } : mapping)
  }
  return found
}

async function converterFor(
  { name, argument }: NonNullable<Mapping['conversion']>,
  options: ConversionOptions,
): Promise<Convert> {
  const flag = `--map ${name}(${argument ?? ''})`
  switch (name) {
    case 'phone': {
      // Loaded only then: its table of numbering plans has 80 kB.
      const { phoneReader } = await import('./phones.ts')
      const expected =
        argument === undefined
          ? 'expected a number with its country code, such as +41443643532'
          : 'expected a telephone number'
      return converter(phoneReader(argument, flag), 'not_a_phone', expected)
    }
    case 'email':
      if (argument !== undefined) throw noArgument(flag)
      return converter(readEmail, 'not_an_email', 'expected an email address')
    case 'date':
      return dateConverter(argument, options, flag)
    case 'number':
      return numberConverter(argument, options, flag)
  }
}

function dateConverter(argument: string | undefined, { dateOrder }: ConversionOptions, flag: string): Convert {
  if (argument !== undefined) {
    return converter(dateReader(argument, flag), 'not_a_date', `expected a date as ${argument}, or 2026-01-31`)
  }
  if (dateOrder === undefined) {
    throw new CrmError('usage', '--map …:date does not say which number is the day', {
      hint: 'expected the shape, such as date(D.M.Y), or --date-format DMY',
    })
  }
  return converter(orderedDateReader(dateOrder), 'not_a_date', `expected a date in the order ${dateOrder}`)
}

function numberConverter(argument: string | undefined, options: ConversionOptions, flag: string): Convert {
  if (argument === undefined) return decimalConverter(options.decimal ?? 'point')
  const format = numberFormatOf(argument, flag)
  return numberFrom((text) => readNumber(text, format), `expected a number as ${argument}`)
}

/** `--decimal`. */
export function decimalConverter(decimal: NonNullable<RowOptions['decimal']>): Convert {
  const [mark, example] = decimal === 'comma' ? ([',', '1.234,50'] as const) : (['.', '1,234.50'] as const)
  return numberFrom((text) => readWithDecimal(text, mark), `expected a number such as ${example}`)
}

function numberFrom(read: (text: string) => string | undefined, message: string): Convert {
  return (text) => {
    const number = read(text)
    if (number === undefined) return { fault: { code: 'not_a_number', message } }
    return { value: parseExactJson(number) }
  }
}

function converter(read: (text: string) => string | undefined, code: FindingCode, message: string): Convert {
  return (text) => {
    const value = read(text)
    return value === undefined ? { fault: { code, message } } : { value }
  }
}

function noArgument(flag: string): CrmError {
  return new CrmError('usage', `${flag}: email takes nothing in parentheses`, { hint: '--map COLUMN=email:email' })
}

/** The bare address in lower case; undefined for a text that is none. A quoted local part is refused. */
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
