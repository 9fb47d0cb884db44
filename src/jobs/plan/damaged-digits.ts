import { idText, type JsonObject, type JsonValue } from '../../core/json.ts'
import { alternativesOf, keysOfRow } from './match-keys.ts'

/** As spreadsheets write long numbers: `4,91522E+11`. */
const SCIENTIFIC = /^[+-]?\d(?:[.,]\d+)?e\+?\d{1,3}$/i

/** The digits that a spreadsheet keeps of a number. */
const KEPT_DIGITS = 15

/** Digits as a spreadsheet saves them that took them for a number, and what it has done; undefined for a text that it keeps. */
function damageOf(old: string): { readonly text: string; readonly loss: string } | undefined {
  if (/^[+0]\d+$/.test(old))
    return {
      text: old.replace(/^\+?0*(?=\d)/, ''),
      loss: `removed the ${old[0] === '+' ? 'plus' : 'zeros'} at the start`,
    }
  const text = old.slice(0, KEPT_DIGITS).padEnd(old.length, '0')
  return /^\d+$/.test(old) && text !== old ? { text, loss: `kept ${KEPT_DIGITS} digits` } : undefined
}

/** How a spreadsheet has damaged the number in a cell, judged by the digits of the record; undefined if it has not. */
export function lossOf(given: JsonValue | undefined, before: JsonValue | undefined): string | undefined {
  if (typeof given !== 'string') return undefined
  const [cell, old] = [given.trim(), idText(before) ?? '']
  if (SCIENTIFIC.test(cell) && /^\+?\d{6,}$/.test(old.replace(/[\s()./-]/g, ''))) return 'shortened the digits'
  const damage = damageOf(old)
  return damage?.text === cell ? damage.loss : undefined
}

/** The key by which a row finds a record whose digits it would have if no spreadsheet had damaged them. */
export function damagedKey(key: string): string {
  return `${key} damaged`
}

/** Those of a record that has such digits in members of `--match`. */
export function damagedKeys(record: JsonObject, names: readonly string[]): readonly string[] {
  const damaged = alternativesOf(names)
    .flat()
    .flatMap((name) => {
      const damage = damageOf(idText(record[name]) ?? '')
      return damage ? [[name, damage.text] as const] : []
    })
  return damaged.length === 0
    ? []
    : keysOfRow({ fields: { ...record, ...Object.fromEntries(damaged) } }, names).map(damagedKey)
}
