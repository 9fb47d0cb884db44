import { RESOURCES, type Resource, writableFields } from '../../core/resources/registry.ts'

// The names that servers give to crm's resources and fields. Compared in lower case, without blanks, hyphens and underscores.

export function foldedName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
}

interface ResourceNames {
  /** Singular; the plural is derived. */
  readonly usual: readonly string[]
  /** Names that often stand for something else: a person confirms them. */
  readonly doubtful: readonly string[]
}

const NAMES: Readonly<Partial<Record<Resource, ResourceNames>>> = {
  contact: {
    usual: ['contact', 'person', 'crmcontact'],
    doubtful: ['customer', 'client', 'individual', 'lead', 'subscriber', 'profile', 'party'],
  },
  deal: { usual: ['deal', 'opportunity', 'crmdeal', 'salesopportunity'], doubtful: ['sale', 'oppty', 'quote'] },
  note: { usual: ['note', 'crmnote', 'contactnote', 'dealnote'], doubtful: ['comment', 'memo', 'remark'] },
  pipeline: { usual: ['pipeline', 'dealpipeline', 'salespipeline', 'opportunitypipeline'], doubtful: ['funnel'] },
  stage: { usual: ['stage', 'dealstage', 'pipelinestage', 'opportunitystage', 'salesstage'], doubtful: ['milestone'] },
  webhook: {
    usual: ['webhook', 'hook', 'webhooksubscription', 'webhookendpoint'],
    doubtful: ['eventsubscription', 'resthook'],
  },
}

/** The registry's own word, for a resource without an entry. */
function namesOf(resource: Resource): ResourceNames {
  return NAMES[resource] ?? { usual: [foldedName(RESOURCES[resource].singular)], doubtful: [] }
}

const IRREGULAR: Readonly<Record<string, string>> = { person: 'people' }

function pluralsOf(name: string): readonly string[] {
  const irregular = IRREGULAR[name]
  const regular = name.endsWith('y') ? `${name.slice(0, -1)}ies` : `${name}s`
  return irregular === undefined ? [regular] : [regular, irregular]
}

/** How well a name stands for the resource: 2 usual, 1 doubtful, 0 not at all. */
export function nameFit(resource: Resource, name: string): 0 | 1 | 2 {
  const folded = foldedName(name)
  const isOne = (names: readonly string[]) => names.some((each) => each === folded || pluralsOf(each).includes(folded))
  const { usual, doubtful } = namesOf(resource)
  if (isOne(usual)) return 2
  return isOne(doubtful) ? 1 : 0
}

/** Whether the name is an id of a record of this resource: `personId`, `deal_id`. */
export function isIdOf(resource: Resource, name: string): boolean {
  const folded = foldedName(name)
  return ['id', 'key', 'uuid'].some(
    (end) => folded.endsWith(end) && nameFit(resource, folded.slice(0, -end.length)) > 0,
  )
}

/** The same for a name with words before it: `linked_deal_id`. */
export function isLinkTo(resource: Resource, name: string): boolean {
  return namesOf(resource).usual.some((each) => foldedName(name).endsWith(`${each}id`))
}

/** Whether the name usually stands for another resource. */
export function isOther(resource: Resource, name: string): boolean {
  const all = Object.keys(RESOURCES) as Resource[]
  return all.some((each) => each !== resource && nameFit(each, name) === 2)
}

/** The usual plural of the resource, for a server that takes the name of the resource in the path. */
export function usualPlural(resource: Resource): string {
  return RESOURCES[resource].plural
}

export const ID_NAMES = ['id', '_id', 'uuid', 'guid', 'recordid', 'key', 'gid']

export const CREATED_NAMES = [
  ...['createdat', 'created', 'createdtime', 'createdon', 'datecreated', 'createddate', 'createdate', 'creationdate'],
  ...['addtime', 'insertedat', 'creationtime', 'createtime', 'dateadded', 'dateentered', 'createdatetime'],
]

export const UPDATED_NAMES = [
  ...['updatedat', 'updated', 'modifiedat', 'modified', 'updatetime', 'updatedon', 'modifiedon', 'dateupdated'],
  ...['datemodified', 'updateddate', 'modifieddate', 'lastmodified', 'lastmodifieddate', 'lastupdated', 'changedat'],
  ...['modifiedtime', 'updatedtime', 'lastmodifiedat', 'lastupdatedat', 'dateedited', 'lastupdate'],
]

/** Members of two halves of a name. */
export const FIRST_NAMES = ['firstname', 'givenname', 'forename', 'first']
export const LAST_NAMES = ['lastname', 'familyname', 'surname', 'last']

const OWNERS = ['ownerid', 'owner', 'assigneeid', 'assignedto', 'assigneduserid', 'assigneduser', 'assignedtoid']

type FieldNames = Readonly<Record<string, readonly string[]>>

/** By field of crm, the best name first. Names of the registry's `headings` are for columns of files, and looser. */
const FIELD_NAMES: Readonly<Partial<Record<Resource, FieldNames>>> = {
  contact: {
    name: ['name', 'fullname', 'displayname', 'contactname', 'personname'],
    email: [
      'email',
      'emailaddress',
      'primaryemail',
      'emails',
      'emailaddresses',
      'workemail',
      'email1',
      'emailaddress1',
      'mail',
    ],
    phone: [
      ...['phone', 'phonenumber', 'telephone', 'phones', 'phonenumbers', 'primaryphone', 'workphone', 'tel'],
      ...[
        'telephonenumber',
        'mobile',
        'mobilephone',
        'mobilenumber',
        'telephones',
        'phone1',
        'telephone1',
        'cellphone',
      ],
    ],
    company: ['company', 'companyname', 'organization', 'organisation', 'organizationname', 'orgname', 'accountname'],
    owner_id: [...OWNERS, 'userid'],
    company_id: ['companyid', 'organizationid', 'organisationid', 'orgid', 'accountid'],
  },
  deal: {
    name: ['name', 'title', 'dealname', 'dealtitle', 'opportunityname', 'topic', 'subject'],
    amount: [
      ...['amount', 'value', 'dealvalue', 'dealamount', 'price', 'monetaryvalue', 'totalvalue', 'totalamount', 'sum'],
      ...['estimatedvalue', 'opportunityamount', 'monetaryamount', 'expectedrevenue', 'revenue', 'total'],
    ],
    stage: [
      ...['stageid', 'stage', 'dealstage', 'dealstageid', 'pipelinestageid', 'salesstage', 'pipelinestage'],
      ...['stagename', 'statusid', 'opportunitystageid', 'milestoneid', 'milestone', 'status'],
    ],
    owner_id: [...OWNERS, 'userid'],
    pipeline_id: ['pipelineid', 'pipeline', 'dealpipelineid', 'dealpipeline', 'opportunitypipelineid'],
    contact_id: ['contactid', 'personid', 'primarycontactid', 'primarycontact', 'contact', 'person'],
    company_id: ['companyid', 'organizationid', 'organisationid', 'orgid', 'accountid'],
    close_date: ['closedate', 'expectedclosedate', 'closingdate', 'expectedcloseon', 'estimatedclosedate', 'closeson'],
  },
  note: {
    body: ['body', 'text', 'content', 'note', 'message', 'description', 'html', 'comment', 'notecontent', 'details'],
    author_id: ['authorid', 'author', 'userid', 'createdby', 'createdbyid', 'creatorid', 'ownerid', 'owner'],
  },
  pipeline: { name: ['name', 'label', 'title', 'pipelinename'] },
  stage: {
    name: ['name', 'label', 'title', 'stagename'],
    position: [
      ...['position', 'ordernr', 'order', 'displayorder', 'sortorder', 'rank', 'sequence', 'index', 'orderindex'],
      ...['sort', 'ordering', 'orderid'],
    ],
    probability: ['probability', 'dealprobability', 'winprobability', 'winlikelihood', 'probabilitypercent'],
    pipeline_id: ['pipelineid', 'pipeline', 'dealpipelineid'],
  },
  webhook: {
    url: [
      ...['url', 'targeturl', 'hookurl', 'subscriptionurl', 'endpointurl', 'endpoint', 'callbackurl', 'deliveryurl'],
      ...['webhookurl', 'notificationurl', 'address', 'target', 'callback', 'uri'],
    ],
    events: [
      'events',
      'eventtypes',
      'topics',
      'event',
      'eventtype',
      'topic',
      'subscribedevents',
      'triggers',
      'actions',
    ],
    secret: ['secret', 'signingsecret', 'secretkey', 'signaturekey'],
    description: ['description', 'name', 'label', 'title'],
  },
}

/** The field's own name, for a resource without an entry. Last, the same with the resource before it: `opportunity_title`. */
function allNames(resource: Resource): FieldNames {
  const known: FieldNames =
    FIELD_NAMES[resource] ?? Object.fromEntries(writableFields(resource).map(([name]) => [name, [foldedName(name)]]))
  const { usual } = namesOf(resource)
  const withNoun = (names: readonly string[]) => usual.flatMap((noun) => names.map((name) => `${noun}${name}`))
  return Object.fromEntries(Object.entries(known).map(([field, names]) => [field, [...names, ...withNoun(names)]]))
}

/** Made once: each schema of a document is compared with them. */
const ALL_NAMES = new Map((Object.keys(RESOURCES) as Resource[]).map((resource) => [resource, allNames(resource)]))

/** What servers call each field of the resource. */
export function fieldNames(resource: Resource): FieldNames {
  return ALL_NAMES.get(resource) ?? {}
}

/** The fields of crm whose names a schema has. */
export function fieldFit(resource: Resource, names: Iterable<string>): number {
  const folded = new Set(Array.from(names, foldedName))
  const fields = Object.values(fieldNames(resource))
  const found = fields.filter((known) => known.some((name) => folded.has(name))).length
  const hasNames =
    resource === 'contact' && [FIRST_NAMES, LAST_NAMES].every((all) => all.some((each) => folded.has(each)))
  return found + (hasNames ? 1 : 0)
}

/** The member with the best of these names; undefined if there is none. */
export function memberNamed(members: ReadonlyMap<string, unknown>, names: readonly string[]): string | undefined {
  for (const name of names) {
    for (const member of members.keys()) if (foldedName(member) === name || member === name) return member
  }
  return undefined
}

/** `example` of `api.example.com`; undefined for an IP address, and where no label is a name. */
export function nameOfHost(host: string): string | undefined {
  if (/^[\d.]+$|:/.test(host)) return undefined
  const labels = host.split('.').slice(0, -1)
  return labels.findLast(
    (label) => /^[a-z0-9][a-z0-9-]*$/.test(label) && !/^(?:api|app|www|rest|com?|org|net)$/.test(label),
  )
}
