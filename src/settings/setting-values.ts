import { isAbsolute } from 'node:path'
import { CrmError } from '../core/errors.ts'
import { shellWords } from '../core/shell-words.ts'

export function parseBoolean(text: string, field: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  throw invalidSetting(field, text, 'true or false')
}

export function parseCommand(text: string, field: string): string | null {
  if (text === '') return null
  const [file] = shellWords(text, field)
  // A relative path could name a program in a repository.
  if (isAbsolute(file) || !/[/\\]/.test(file)) return text
  throw invalidSetting(field, text, 'a program in PATH or its absolute path')
}

const CONNECTOR_NAME = /^[a-z][a-z0-9-]{0,63}$/

/** Whether a text can be the name of a connector, and is no path. */
export function isShippedName(text: string): boolean {
  return CONNECTOR_NAME.test(text)
}

/** CrmError `invalid_input` for what is neither the name of a connector nor an absolute path. */
export function parseConnectorName(text: string, field: string): string | null {
  if (text === '' || CONNECTOR_NAME.test(text) || isAbsolute(text)) return text || null
  const expected =
    'the name of a connector, such as pipedrive, or the absolute path of a file (CRM_CONNECTOR also takes ./FILE)'
  throw invalidSetting(field, text, expected)
}

/** `company=acme,region=eu`. CrmError `invalid_input` for any other text. */
export function parseVariables(text: string, field: string): Readonly<Record<string, string>> {
  const pairs = text.split(',').map((pair) => /^([a-z][a-z0-9_]{0,31})=(.{1,200})$/.exec(pair.trim()))
  if (pairs.every((pair) => pair !== null)) {
    return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, value]))
  }
  throw invalidSetting(field, text, 'pairs such as company=acme,region=eu')
}

export function variablesText(variables: Readonly<Record<string, string>>): string | null {
  const pairs = Object.entries(variables).map(([name, value]) => `${name}=${value}`)
  return pairs.length === 0 ? null : pairs.join(',')
}

export function parsePageSize(text: string, field: string): number {
  const size = Number(text)
  if (/^\d{1,4}$/.test(text) && size >= 1 && size <= 1000) return size
  throw invalidSetting(field, text, 'a whole number from 1 to 1000')
}

export function invalidSetting(field: string, text: string, expected: string): CrmError {
  return new CrmError('invalid_input', `${field} is ${JSON.stringify(text)}, expected ${expected}`, {
    hint: 'list all settings: crm config list',
  })
}
