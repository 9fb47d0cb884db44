import { exactDigits } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { memberAt } from '../../output/fields.ts'
import { textForNumber, textMembers } from '../fields-input.ts'

/** Detects from the records whether an undocumented member is a number: sums would ignore a text in its place. */
export function createNumberCheck(set: readonly string[] = []) {
  const texts = [...textMembers(set)]
  let found: (typeof texts)[number] | undefined
  return {
    see(records: readonly CrmRecord[]): void {
      for (const record of records) found ??= texts.find(([name]) => isNumber(memberAt(record, name.split('.'))))
    },
    /** CrmError `usage` if any record has a number where --set writes a text. */
    judge(): void {
      if (found) throw textForNumber(...found)
    },
  }
}

export function isNumber(value: CrmRecord[string] | undefined): boolean {
  return typeof value === 'number' || exactDigits(value) !== undefined
}
