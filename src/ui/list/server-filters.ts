import { CrmError } from '../../core/errors.ts'
import { nearest } from '../../core/nearest.ts'
import { FIELDS } from '../../core/resources/registry.ts'
import { shellWord, shellWords } from '../../core/shell-words.ts'
import type { OfferedFields } from '../offered.ts'

export type ServerFilters = Readonly<Record<string, string>>

/**
 * `stage=Won amount[gte]=1000`, with quotes around blanks; an empty text is no filter. Values of one key are alternatives.
 * CrmError `invalid_input` for any other text, because ignoring a filter would show unwanted rows. `offered` is what a connector
 * says of deals.
 */
export function parseServerFilters(text: string, offered?: OfferedFields): ServerFilters {
  if (text.trim() === '') return {}
  const filters = new Map<string, string>()
  for (const word of wordsOf(text)) {
    const at = word.indexOf('=')
    const [key, value] = [word.slice(0, Math.max(0, at)), word.slice(at + 1)]
    if (key === '' || value === '') {
      throw invalid(
        `${JSON.stringify(word)} is not a filter, expected key=value`,
        'no blanks around =, such as stage=Won',
      )
    }
    if (offered) refuseOther(key, offered)
    else refuseValue(key, value)
    const before = filters.get(key)
    filters.set(key, before === undefined ? value : `${before},${value}`)
  }
  return Object.fromEntries(filters)
}

function wordsOf(text: string): readonly string[] {
  try {
    return shellWords(text, 'filter')
  } catch (error) {
    if (!(error instanceof CrmError)) throw error
    throw invalid(
      `${JSON.stringify(text)} is not a filter, expected key=value with closed quotes`,
      'such as name="Deal 1" stage=Won',
    )
  }
}

/** The filters as they would be typed. */
export function serverFilterText(filters: ServerFilters): string {
  return Object.entries(filters)
    .map(([key, value]) => `${key}=${/^[^\s'"\\]*$/.test(value) ? value : shellWord(value)}`)
    .join(' ')
}

/** The server checks filters that crm does not know; a misspelt field of deals, or a text for a number, is rejected here. */
function refuseValue(key: string, value: string): void {
  const name = key.replace(/\[.*$/s, '')
  const isKnown = FIELDS.deal.some((field) => field === name)
  const meant = isKnown ? undefined : nearest(name, FIELDS.deal)
  if (meant !== undefined) throw invalid(`no field of a deal is called ${name}`, `did you mean ${meant}?`)
  if (name !== 'amount' || value.split(',').every((each) => isNumber(each))) return
  throw invalid(`${key} is ${JSON.stringify(value)}, expected a number`, 'such as amount[gte]=1000')
}

function refuseOther(key: string, { by, filters }: OfferedFields): void {
  if (filters === 'any' || filters.includes(key)) return
  throw invalid(`${by} has no filter ${JSON.stringify(key)} of deals`, `it has ${filters.join(', ')}`)
}

function isNumber(text: string): boolean {
  return text.trim() !== '' && Number.isFinite(Number(text))
}

function invalid(message: string, hint: string): CrmError {
  return new CrmError('invalid_input', message, { hint })
}
