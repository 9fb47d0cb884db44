import { exactDigits } from '../../core/exact-json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { textForNumber, textMembers } from '../fields-input.ts'

/** Of a member that crm does not know, the records tell whether it is a number: a text would be kept, and be in no sum. */
export function createNumberCheck(set: readonly string[] = []) {
  const texts = [...textMembers(set)]
  let found: (typeof texts)[number] | undefined
  return {
    see(records: readonly CrmRecord[]): void {
      for (const record of records) found ??= texts.find(([name]) => isNumber(record[name]))
    },
    /** CrmError `usage` where a record that was seen has a number for what --set writes as a text. */
    judge(): void {
      if (found) throw textForNumber(...found)
    },
  }
}

export function isNumber(value: CrmRecord[string] | undefined): boolean {
  return typeof value === 'number' || exactDigits(value) !== undefined
}
