import { foldedText } from '../../core/folded-text.ts'
import type { JsonValue } from '../../core/json.ts'
import { DEAL_FILTER_PARAMETERS } from '../../core/resources/deal-filters.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { cellText } from '../../output/cell-text.ts'
import { type FilterRule, filterRule } from './filter-rule.ts'

/** How the records of a list compare with one of its filters. */
export class FilterSightings {
  readonly name: string
  readonly text: string
  readonly rule: FilterRule
  /** The first record that does not match. */
  contradiction: { readonly id: JsonValue | undefined; readonly value: JsonValue } | undefined
  readonly #count = { all: 0, withMember: 0, agrees: 0, contradicts: 0, unclear: 0 }
  readonly #unseen: Set<string>

  constructor(name: string, text: string) {
    this.name = name
    this.text = text
    this.rule = filterRule(name, text)
    this.#unseen = new Set(this.rule.alternatives)
  }

  see(records: readonly CrmRecord[]): void {
    for (const record of records) {
      this.#count.all++
      const value = record[this.rule.member]
      if (value === undefined) continue
      this.#count.withMember++
      const match = this.rule.matchOf(value)
      this.#count[match]++
      if (match === 'agrees') this.#unseen.delete(foldedText(cellText(value)) ?? '')
      if (match === 'contradicts') this.contradiction ??= { id: record.id, value }
    }
  }

  /** Whether the filter compares a member with values. Ranges do not; other filters of the server may not. */
  hasValues(): boolean {
    return this.rule.alternatives.length > 0 && (this.#count.withMember > 0 || this.isOfContract())
  }

  /**
   * `ignored`: some records match and others do not. `open`: the server may read the filter otherwise (ids, `me`, parts of
   * texts), or does not show what it filters by.
   */
  effect(): 'applied' | 'ignored' | 'open' {
    const { all, withMember, agrees, contradicts, unclear } = this.#count
    if (all === 0) return 'applied'
    if (withMember === 0) return this.hasValues() || !this.isOfContract() ? 'open' : 'applied'
    if (contradicts > 0) return agrees > 0 && this.#unseen.size === 0 ? 'ignored' : 'open'
    return unclear > 0 && this.hasValues() ? 'open' : 'applied'
  }

  isOfContract(): boolean {
    return DEAL_FILTER_PARAMETERS.some((known) => known === this.name)
  }
}
