import type { CrmError } from '../../core/errors.ts'
import type { Wire } from '../../core/wire.ts'
import { type Finding, failed, type Proposal } from './finding.ts'
import { askList, countOf, isPage, isRecordList, type Listing, type ListName, membersOf, readAgain } from './listing.ts'
import type { Probe } from './probe.ts'

export interface Records {
  readonly finding: Finding
  /** The list with the most records; undefined if none could be read. */
  readonly noun: ListName | undefined
  /** The settings, with corrections. */
  readonly wire: Wire
  /** The server refuses the page size parameter, but not the list. */
  readonly refusal: CrmError | undefined
}

const SETTING = 'wire.items_path'

/** Where the records are in an answer. `first` is the answer to a request for one contact. */
export async function checkRecords(probe: Probe, wire: Wire, first: Listing): Promise<Records> {
  const refusal = isPage(first) || !isRejection(first.error) || wire.limitParam === undefined ? undefined : first.error
  const contacts = refusal ? await askList(probe, 'contacts', wire, undefined) : first
  const deals = await askList(probe, 'deals', wire, refusal ? undefined : 2)
  if (isPage(contacts)) {
    const noun = (countOf(deals) ?? 0) > 1 && (await isShort(probe, wire, contacts)) ? 'deals' : 'contacts'
    return { finding: recordsFinding(contacts, deals), noun, wire, refusal }
  }
  const value = findItemsPath(wire, contacts, deals)
  if (value === undefined) {
    return { finding: failed('records', contacts.error), noun: undefined, wire, refusal: undefined }
  }
  const finding = failed('records', contacts.error, [{ setting: SETTING, value }])
  return { finding, noun: 'contacts', wire: { ...wire, itemsPath: value || undefined }, refusal }
}

/** Whether the server rejects a parameter. */
export function isRejection({ code }: CrmError): boolean {
  return code === 'bad_request' || code === 'invalid_values' || code === 'rejected'
}

async function isShort(probe: Probe, wire: Wire, contacts: Listing): Promise<boolean> {
  return isPage(contacts) && !contacts.page.next && (countOf(await askList(probe, 'contacts', wire, 2)) ?? 0) < 2
}

function recordsFinding(contacts: Listing, deals: Listing): Finding {
  const places = { contacts: placeOf(contacts), deals: placeOf(deals) }
  const count = countOf(contacts) ?? 0
  const found = { contacts_at: places.contacts ?? null, deals_at: places.deals ?? null }
  const empty = count === 0 ? ', which is empty' : ''
  const where = `contacts are in ${places.contacts}${empty}`
  if (places.deals !== undefined) {
    return { check: 'records', state: 'ok', seen: `${where}; deals are in ${places.deals}`, found }
  }
  const trouble = isPage(deals) ? '' : deals.error.message
  return {
    check: 'records',
    state: 'warn',
    seen: `${where}; ${trouble}`,
    found,
    hint: 'crm deals list fails the same way',
  }
}

function placeOf(listing: Listing): string | undefined {
  if (!isPage(listing)) return undefined
  const { itemsAt } = listing.page
  return itemsAt.length === 0 ? 'the answer itself' : itemsAt.join('.')
}

/** The path to the records in both lists, if there is only one candidate; empty if no setting is needed. */
function findItemsPath(wire: Wire, contacts: Listing, deals: Listing): Proposal['value'] | undefined {
  const lists = membersOf(contacts.json).filter(({ value }) => isRecordList(value))
  const paths = [
    ...(wire.itemsPath === undefined ? [] : ['']),
    ...(lists.length === 1 ? lists.map(({ path }) => path) : []),
  ]
  return paths.find((path) => {
    const tried = { ...wire, itemsPath: path || undefined }
    const others = deals.json === undefined || isPage(readAgain(deals, tried))
    return isPage(readAgain(contacts, tried)) && others
  })
}
