import { RESOURCES, type Resource, writableFields } from '../core/resources/registry.ts'

// The names that servers give to records, fields and paging. Compared in lower case, with letters and digits alone.

export function foldedName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
}

/** Names between blanks. */
function spellings(text: string): readonly string[] {
  return text.trim().split(/\s+/)
}

/** Singular, the plural is derived: the usual names, and those that often stand for something else. */
const NAMES: Readonly<Partial<Record<Resource, readonly [usual: string, doubtful: string]>>> = {
  contact: ['contact person crmcontact', 'customer client individual lead subscriber profile party'],
  deal: ['deal opportunity crmdeal salesopportunity', 'sale oppty quote'],
  note: ['note crmnote contactnote dealnote', 'comment memo remark'],
  pipeline: ['pipeline dealpipeline salespipeline opportunitypipeline', 'funnel'],
  stage: ['stage dealstage pipelinestage opportunitystage salesstage', 'milestone'],
  webhook: ['webhook hook webhooksubscription webhookendpoint', 'eventsubscription resthook'],
}

/** The registry's own word, for a resource without an entry. */
function usualNames(resource: Resource): readonly string[] {
  return spellings(NAMES[resource]?.[0] ?? foldedName(RESOURCES[resource].singular))
}

/** How well a name stands for the resource: 2 usual, 1 doubtful, 0 not at all. */
export function nameFit(resource: Resource, name: string): 0 | 1 | 2 {
  const folded = foldedName(name)
  const isOne = (names: readonly string[]) =>
    names.some((each) =>
      [each, `${each}s`, each.replace(/y$/, 'ies'), each.replace(/^person$/, 'people')].includes(folded),
    )
  if (isOne(usualNames(resource))) return 2
  return isOne(spellings(NAMES[resource]?.[1] ?? '-')) ? 1 : 0
}

/** Whether the name is an id of a record of this resource: `personId`, `deal_id`. */
export function isIdOf(resource: Resource, name: string): boolean {
  const [, noun] = /^(.+)(?:id|key|uuid)$/.exec(foldedName(name)) ?? []
  return noun !== undefined && nameFit(resource, noun.replace(/uu$/, '')) > 0
}

/** The same for a name with words before it: `linked_deal_id`. */
export function isLinkTo(resource: Resource, name: string): boolean {
  return usualNames(resource).some((each) => foldedName(name).endsWith(`${each}id`))
}

export const ID_NAMES = spellings('id _id uuid guid recordid objectid uid key gid')
export const CREATED_NAMES =
  spellings(`createdat created createdtime createdon datecreated createddate createdate creationdate
  addtime insertedat creationtime createtime dateadded dateentered createdatetime`)
export const UPDATED_NAMES =
  spellings(`updatedat updated modifiedat modified updatetime updatedon modifiedon dateupdated
  datemodified updateddate modifieddate lastmodified lastmodifieddate lastupdated changedat modifiedtime updatedtime
  lastmodifiedat lastupdatedat dateedited lastupdate`)

/** Members of two halves of a name. */
export const FIRST_NAMES = spellings('firstname givenname forename first')
export const LAST_NAMES = spellings('lastname familyname surname last')

const OWNERS = 'ownerid owner assigneeid assignedto assigneduserid assigneduser assignedtoid userid'
const COMPANY_IDS = 'companyid organizationid organisationid orgid accountid'

/** By field of crm, the best name first. Names of the registry's `headings` are for columns of files, and looser. */
const FIELD_NAMES: Readonly<Partial<Record<Resource, Readonly<Record<string, string>>>>> = {
  contact: {
    name: 'name fullname displayname contactname personname',
    email: 'email emailaddress primaryemail emails emailaddresses workemail email1 emailaddress1 mail',
    phone: `phone phonenumber telephone phones phonenumbers primaryphone workphone tel telephonenumber mobile mobilephone
      mobilenumber telephones phone1 telephone1 cellphone`,
    company: 'company companyname organization organisation organizationname orgname accountname',
    owner_id: OWNERS,
    company_id: COMPANY_IDS,
  },
  deal: {
    name: 'name title dealname dealtitle opportunityname topic subject',
    amount: `amount value dealvalue dealamount price monetaryvalue totalvalue totalamount sum estimatedvalue
      opportunityamount monetaryamount expectedrevenue revenue total`,
    stage: `stageid stage dealstage dealstageid pipelinestageid salesstage pipelinestage stagename statusid
      opportunitystageid milestoneid milestone status`,
    owner_id: OWNERS,
    pipeline_id: 'pipelineid pipeline dealpipelineid dealpipeline opportunitypipelineid',
    contact_id: 'contactid personid primarycontactid primarycontact contact person',
    company_id: COMPANY_IDS,
    close_date: 'closedate expectedclosedate closingdate expectedcloseon estimatedclosedate closeson',
  },
  note: {
    body: 'body text content note message description html comment notecontent details',
    author_id: 'authorid author userid createdby createdbyid creatorid ownerid owner',
  },
  pipeline: { name: 'name label title pipelinename' },
  stage: {
    name: 'name label title stagename',
    position: 'position ordernr order displayorder sortorder rank sequence index orderindex sort ordering orderid',
    probability: 'probability dealprobability winprobability winlikelihood probabilitypercent',
    pipeline_id: 'pipelineid pipeline dealpipelineid',
  },
  webhook: {
    url: `url targeturl hookurl subscriptionurl endpointurl endpoint callbackurl deliveryurl webhookurl notificationurl
      address target callback uri`,
    events: 'events eventtypes topics event eventtype topic subscribedevents triggers actions',
    secret: 'secret signingsecret secretkey signaturekey',
    description: 'description name label title',
  },
}

type FieldNames = Readonly<Record<string, readonly string[]>>

/** Last, the names with the resource before them: `opportunity_title`. A resource without an entry has its fields' own names. */
function allNames(resource: Resource): FieldNames {
  const own = Object.fromEntries(writableFields(resource).map(([name]) => [name, foldedName(name)]))
  const all = Object.entries(FIELD_NAMES[resource] ?? own).map(([field, text]) => {
    const names = spellings(text)
    return [field, [...names, ...usualNames(resource).flatMap((noun) => names.map((name) => noun + name))]]
  })
  return Object.fromEntries(all)
}

/** Made once: each schema of a document is compared with them. */
const ALL_NAMES = new Map((Object.keys(RESOURCES) as Resource[]).map((resource) => [resource, allNames(resource)]))

/** What servers call each field of the resource. */
export function fieldNames(resource: Resource): FieldNames {
  return ALL_NAMES.get(resource) ?? {}
}

/** The number of fields of crm whose names a schema has. */
export function fieldFit(resource: Resource, names: Iterable<string>): number {
  const folded = new Set(Array.from(names, foldedName))
  const isThere = (known: readonly string[]) => known.some((name) => folded.has(name))
  const hasParts = resource === 'contact' && isThere(FIRST_NAMES) && isThere(LAST_NAMES)
  return Object.values(fieldNames(resource)).filter(isThere).length + (hasParts ? 1 : 0)
}

/** The one with the best of these names. */
export function bestNamed<Named extends { readonly name: string }>(
  all: readonly Named[],
  names: readonly string[],
): Named | undefined {
  const folded = names.map(foldedName)
  const rank = ({ name }: Named) => folded.indexOf(foldedName(name))
  return all.filter((each) => rank(each) >= 0).toSorted((one, other) => rank(one) - rank(other))[0]
}

/** The member with the best of these names; undefined if there is none. */
export function memberNamed(members: ReadonlyMap<string, unknown>, names: readonly string[]): string | undefined {
  return bestNamed(
    [...members.keys()].map((name) => ({ name })),
    names,
  )?.name
}

/** `example` of `api.example.com`; undefined for an IP address, and where no label is a name. */
export function nameOfHost(host: string): string | undefined {
  if (/^[\d.]+$|:/.test(host)) return undefined
  const isName = (label: string) => /^(?!(?:api|app|www|rest|com?|org|net)$)[a-z0-9][a-z0-9-]*$/.test(label)
  return host.split('.').slice(0, -1).findLast(isName)
}

// Parameters of paging, as servers spell them: the probe tries each, and those of a document are compared folded.

export const PAGES =
  spellings(`page _page pageNumber page[number] p page_number pageNo page_no pageIndex pageNum current_page
  Page paged pagination[page] searchCriteria[currentPage]`)
export const OFFSETS =
  spellings(`offset skip start _offset $skip _start startIndex startAt from page[offset] start_at first_result
  firstResult SkipCount limit_start paging.offset pagination[start] startRow _skip`)
export const CURSORS =
  spellings(`cursor page_token pageToken after starting_after next_token page[after] page[cursor] _cursor continuation marker
  start_cursor pagination_token nextPageToken startCursor page_cursor nextCursor startAfterId continuation_token scroll_id
  startAfter`)
/** In documents, these often are something else, such as the time from which on records are listed. */
export const LOOSE_CURSORS =
  spellings(`from since continuationToken nextToken next_cursor next_page_token cursorMark bookmark position anchor start
  startKey start_key exclusive_start_key exclusiveStartKey resume_token resumeToken afterId after_id last_key`)
/** They take the id of the last record. */
export const LAST_IDS =
  spellings(`starting_after after after_id since_id last_id startingAfter from since lastId afterId
  sinceId marker start_after cursor`)
/** The greatest page is asked for by them. */
export const SIZES =
  spellings(`limit per_page page_size pageSize page[size] page[limit] size count _limit _per_page max_results
  first $top take max rows page_length results_per_page items_per_page records_per_page MaxResultCount limit_page_length
  paging.limit`)

/** Members of answers that lead to the next page, folded. */
export const NEXT_CURSORS =
  spellings(`nextcursor nextpagetoken nexttoken nextpagecursor endcursor startingafter after nextstart
  continuationtoken continuation next cursor pagetoken scrollid paginationtoken`)
export const NEXT_URLS = spellings(
  'next nexturl nextlink nextpageurl nextpage odatanextlink nextpagelink nextrecordsurl nextpageuri href',
)
export const MORES = spellings('hasmore hasnext hasnextpage moreitemsincollection morerecords more hasmoreitems')
export const TOTALS = spellings('total totalcount totalresults totalitems totalrecords odatacount totalsize')
export const PAGE_COUNTS = spellings('totalpages maxpage pages pagecount lastpage totalpage pagescount numpages')
