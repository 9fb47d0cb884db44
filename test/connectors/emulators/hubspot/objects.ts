import { OWNER, type Property, type Value } from './properties.ts'

/** Standard or custom; an account has its own copy, as it may add properties. */
export interface ObjectType {
  /** The plural in paths, and of the records that the emulator shows. */
  readonly name: string
  readonly singular: string
  readonly id: string
  /** Of custom objects. */
  readonly schema?: Schema
  readonly created: string
  readonly modified: string
  /** Shown beside what is always shown where no properties are asked for. */
  readonly defaults: readonly string[]
  /** A create needs all of them, of `anyOf` one. */
  readonly required: readonly string[]
  readonly anyOf?: readonly string[]
  readonly pipelines?: { readonly property: string; readonly first: string; readonly table: string }
  readonly properties: Record<string, Property>
}

export interface Schema {
  readonly fullyQualifiedName: string
  readonly labels: { readonly singular?: string; readonly plural?: string }
  readonly primaryDisplayProperty?: string
  readonly searchableProperties: readonly string[]
  readonly createdAt: string
}

const TEXT: Property = { type: 'text' }
const NUMBER: Property = { type: 'number' }
const DUE: Property = { type: 'time', label: 'Due date' }

function texts(...names: readonly string[]): Record<string, Property> {
  return Object.fromEntries(names.map((name) => [name, TEXT]))
}

function options(...values: readonly (readonly [value: string, label: string])[]): Property {
  return { type: 'options', options: values.map(([value, label]): Value => ({ value, label })) }
}

const PRIORITY = options(['LOW', 'Low'], ['MEDIUM', 'Medium'], ['HIGH', 'High'])

const LIFECYCLE: Property = {
  ...options(
    ['subscriber', 'Subscriber'],
    ['lead', 'Lead'],
    ['marketingqualifiedlead', 'Marketing Qualified Lead'],
    ['opportunity', 'Opportunity'],
    ['customer', 'Customer'],
  ),
  goesForward: true,
}

type Given = Pick<ObjectType, 'name' | 'singular' | 'id' | 'properties'> & Partial<ObjectType>

/** With the properties that all objects have. */
export function defineObject({ properties, ...given }: Given): ObjectType {
  const created = given.created ?? 'hs_createdate'
  const modified = given.modified ?? 'hs_lastmodifieddate'
  return {
    defaults: [],
    required: [],
    ...given,
    created,
    modified,
    properties: {
      hs_object_id: { type: 'number', isReadOnly: true, label: 'Record ID' },
      [created]: { type: 'time', isReadOnly: created === 'hs_createdate', label: 'Create date' },
      [modified]: { type: 'time', isReadOnly: true, label: 'Last modified date' },
      hubspot_owner_id: OWNER,
      ...properties,
    },
  }
}

/** Of this account, with unique values. */
const OWN_KEY: Property = { type: 'text', label: 'External key', isUnique: true, isOwn: true }

export const STANDARD: readonly ObjectType[] = [
  {
    name: 'contacts',
    singular: 'contact',
    id: '0-1',
    created: 'createdate',
    modified: 'lastmodifieddate',
    defaults: ['email', 'firstname', 'lastname'],
    anyOf: ['email', 'firstname', 'lastname'],
    properties: {
      ...texts('firstname', 'lastname', 'phone', 'mobilephone', 'company', 'jobtitle', 'website', 'city'),
      email: { type: 'email', isUnique: true },
      lifecyclestage: LIFECYCLE,
      hs_full_name_or_email: { type: 'text', isReadOnly: true },
    },
  },
  {
    name: 'companies',
    singular: 'company',
    id: '0-2',
    created: 'createdate',
    defaults: ['domain', 'name'],
    anyOf: ['domain', 'name'],
    properties: {
      ...texts('name', 'domain', 'phone', 'city', 'country', 'website', 'description'),
      industry: options(['BANKING', 'Banking'], ['COMPUTER_SOFTWARE', 'Computer Software'], ['FARMING', 'Farming']),
      lifecyclestage: LIFECYCLE,
      numberofemployees: NUMBER,
      annualrevenue: NUMBER,
    },
  },
  {
    name: 'deals',
    singular: 'deal',
    id: '0-3',
    created: 'createdate',
    defaults: ['amount', 'closedate', 'dealname', 'dealstage', 'pipeline'],
    required: ['dealname'],
    pipelines: { property: 'pipeline', first: 'default', table: 'pipelines' },
    properties: {
      ...texts('dealname', 'description'),
      dealtype: options(['newbusiness', 'New Business'], ['existingbusiness', 'Existing Business']),
      amount: NUMBER,
      closedate: { type: 'time' },
      pipeline: { type: 'pipeline' },
      dealstage: { type: 'stage' },
    },
  },
  {
    name: 'tickets',
    singular: 'ticket',
    id: '0-5',
    created: 'createdate',
    defaults: ['content', 'hs_pipeline', 'hs_pipeline_stage', 'hs_ticket_category', 'hs_ticket_priority', 'subject'],
    required: ['subject', 'hs_pipeline_stage'],
    pipelines: { property: 'hs_pipeline', first: '0', table: 'ticket_pipelines' },
    properties: {
      ...texts('subject', 'content'),
      hs_pipeline: { type: 'pipeline' },
      hs_pipeline_stage: { type: 'stage' },
      hs_ticket_priority: PRIORITY,
      hs_ticket_category: {
        ...options(['PRODUCT_ISSUE', 'Product Issue'], ['BILLING_ISSUE', 'Billing Issue']),
        isMany: true,
      },
    },
  },
  {
    name: 'products',
    singular: 'product',
    id: '0-7',
    created: 'createdate',
    defaults: ['description', 'name', 'price'],
    properties: { ...texts('name', 'description', 'hs_sku'), price: NUMBER },
  },
  {
    name: 'line_items',
    singular: 'line_item',
    id: '0-8',
    created: 'createdate',
    defaults: ['amount', 'quantity'],
    properties: {
      ...texts('name', 'hs_product_id'),
      quantity: NUMBER,
      price: NUMBER,
      amount: { type: 'number', isReadOnly: true },
    },
  },
  {
    name: 'tasks',
    singular: 'task',
    id: '0-27',
    required: ['hs_timestamp'],
    properties: {
      ...texts('hs_task_subject', 'hs_task_body'),
      hs_timestamp: DUE,
      hs_task_status: options(
        ['NOT_STARTED', 'Not started'],
        ['IN_PROGRESS', 'In progress'],
        ['WAITING', 'Waiting'],
        ['DEFERRED', 'Deferred'],
        ['COMPLETED', 'Completed'],
      ),
      hs_task_priority: PRIORITY,
      hs_task_type: options(['TODO', 'To-do'], ['EMAIL', 'Email'], ['CALL', 'Call']),
    },
  },
  {
    name: 'calls',
    singular: 'call',
    id: '0-48',
    required: ['hs_timestamp'],
    properties: {
      ...texts('hs_call_title', 'hs_call_body'),
      hs_call_duration: NUMBER,
      hs_timestamp: { type: 'time', label: 'Activity date' },
    },
  },
  {
    name: 'meetings',
    singular: 'meeting',
    id: '0-47',
    required: ['hs_timestamp'],
    properties: {
      ...texts('hs_meeting_title', 'hs_meeting_body'),
      hs_timestamp: { type: 'time', label: 'Activity date' },
      hs_meeting_end_time: { type: 'time', label: 'Meeting end time' },
    },
  },
  {
    name: 'notes',
    singular: 'note',
    id: '0-46',
    required: ['hs_timestamp'],
    properties: {
      ...texts('hs_note_body', 'hs_attachment_ids'),
      hs_timestamp: { type: 'time', label: 'Activity date' },
    },
  },
  {
    name: 'emails',
    singular: 'email',
    id: '0-49',
    required: ['hs_timestamp', 'hs_email_direction'],
    properties: {
      ...texts('hs_email_subject', 'hs_email_text'),
      hs_email_direction: options(['EMAIL', 'Sent'], ['INCOMING_EMAIL', 'Incoming'], ['FORWARDED_EMAIL', 'Forwarded']),
      hs_email_status: options(['SENT', 'Sent'], ['FAILED', 'Failed'], ['BOUNCED', 'Bounced']),
      hs_timestamp: { type: 'time', label: 'Activity date' },
    },
  },
  {
    name: 'quotes',
    singular: 'quote',
    id: '0-14',
    required: ['hs_title', 'hs_expiration_date'],
    properties: {
      ...texts('hs_title', 'hs_currency'),
      hs_status: options(['DRAFT', 'Draft'], ['APPROVAL_NOT_NEEDED', 'Published'], ['PENDING_APPROVAL', 'Pending']),
      hs_expiration_date: { type: 'time', label: 'Expiration date' },
      hs_quote_amount: { type: 'number', isReadOnly: true, label: 'Quote amount' },
    },
  },
].map((given) => {
  const { properties, ...others } = given as Given
  return defineObject({ ...others, properties: { ...properties, external_key: OWN_KEY } })
})
