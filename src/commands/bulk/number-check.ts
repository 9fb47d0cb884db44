import { exactDigits } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { memberAt } from '../../output/fields.ts'
import { textForNumber, textMembers } from '../fields-input.ts'

/** Finds out from the records whether a member that crm does not know is a number: a text in its place is in no sum. */
export function createNumberCheck(set: readonly string[] = []) {
  const texts = [...textMembers(set)]
  let found: (typeof texts)[number] | undefined
  return {
    see(records: readonly CrmRecord[]): void {
      for (const record of records) found ??= texts.find(([name]) => isNumber(memberAt(record, name.split('.'))))
    },
    /** CrmError `usage` when a record so far has a number where --set writes a text. */
    judge(): void {
      if (found) throw textForNumber(...found)
    },
  }
}

export function isNumber(value: CrmRecord[string] | undefined): boolean {
  return typeof value === 'number' || exactDigits(value) !== undefined
}
