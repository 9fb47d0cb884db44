import type { CrmError } from '../../core/errors.ts'
import type { Wire } from '../../core/wire.ts'
import { type Finding, failed, type Proposal } from './finding.ts'
import { askList, countOf, isPage, isRecordList, type Listing, type ListName, membersOf, readAgain } from './listing.ts'
import type { Probe } from './probe.ts'

export interface Records {
  readonly finding: Finding
  /** The list that has most to show; undefined where none could be read. */
  readonly noun: ListName | undefined
  /** With the settings that correct them. */
  readonly wire: Wire
  /** The parameter for the size is refused: without it the list is answered. */
  readonly refusal: CrmError | undefined
}

const SETTING = 'wire.items_path'

/** Where the records stand in lists. `first` is the answer to the question for one contact. */
export async function checkRecords(probe: Probe, wire: Wire, first: Listing): Promise<Records> {
  const refusal = isPage(first) || !isRejection(first.error) || wire.limitParam === undefined ? undefined : first.error
  const contacts = refusal ? await askList(probe, 'contacts', wire, undefined) : first
  const deals = await askList(probe, 'deals', wire, refusal ? undefined : 2)
  if (isPage(contacts)) {
    const noun = (countOf(deals) ?? 0) > 1 && (await isShort(probe, wire, contacts)) ? 'deals' : 'contacts'
    return { finding: placeFinding(contacts, deals), noun, wire, refusal }
  }
  const value = findItemsPath(wire, contacts, deals)
  if (value === undefined) {
    return { finding: failed('records', contacts.error), noun: undefined, wire, refusal: undefined }
  }
  const finding = failed('records', contacts.error, [{ setting: SETTING, value }])
  return { finding, noun: 'contacts', wire: { ...wire, itemsPath: value || undefined }, refusal }
}

/** What a server answers to a parameter that it does not take. */
export function isRejection({ code }: CrmError): boolean {
  return code === 'bad_request' || code === 'invalid_values' || code === 'rejected'
}

async function isShort(probe: Probe, wire: Wire, contacts: Listing): Promise<boolean> {
  return isPage(contacts) && !contacts.page.next && (countOf(await askList(probe, 'contacts', wire, 2)) ?? 0) < 2
}

function placeFinding(contacts: Listing, deals: Listing): Finding {
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
    hint: 'crm deals list ends the same way',
  }
}

function placeOf(listing: Listing): string | undefined {
  if (!isPage(listing)) return undefined
  const { itemsAt } = listing.page
  return itemsAt.length === 0 ? 'the answer itself' : itemsAt.join('.')
}

/** A place that holds the records of both lists, where there is one alone; empty where the recognisers need no setting. */
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
