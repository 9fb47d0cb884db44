// The modules and fields of an account, as "Fields Metadata" of the public documentation shows them, with fields and a module
// that the account made for itself.

export type DataType =
  | 'bigint'
  | 'text'
  | 'textarea'
  | 'email'
  | 'phone'
  | 'website'
  | 'picklist'
  | 'multiselectpicklist'
  | 'lookup'
  | 'ownerlookup'
  | 'date'
  | 'datetime'
  | 'currency'
  | 'boolean'

export interface Field {
  readonly data_type: DataType
  readonly label: string
  readonly length: number
  /** The server alone sets it. */
  readonly isReadOnly: boolean
  readonly isMandatory: boolean
  /** "Do not allow duplicate values". */
  readonly isUnique: boolean
  /** Upserts may name it: the system checks it for duplicates, or it is unique. */
  readonly isChecked: boolean
  readonly options: readonly string[]
  /** The module of a look-up. */
  readonly module?: string
}

export interface Module {
  readonly api_name: string
  readonly singular_label: string
  readonly plural_label: string
  readonly generated_type: 'default' | 'custom'
  /** Upserts are not for activities. */
  readonly isUpsertable: boolean
  readonly fields: Readonly<Record<string, Field>>
}

function field(data_type: DataType, label: string, more: Partial<Field> = {}): Field {
  return {
    ...{ data_type, label, length: data_type === 'textarea' ? 32_000 : 255, isReadOnly: false, isMandatory: false },
    ...{ isUnique: false, isChecked: more.isUnique === true, options: [] },
    ...more,
  }
}

const SET = { isReadOnly: true }
const NEEDED = { isMandatory: true }
const lookup = (label: string, module: string) => field('lookup', label, { module })
const picklist = (label: string, options: readonly string[], more: Partial<Field> = {}) =>
  field('picklist', label, { options, ...more })

const SYSTEM = {
  id: field('bigint', 'Record Id', SET),
  Created_Time: field('datetime', 'Created Time', SET),
  Modified_Time: field('datetime', 'Modified Time', SET),
  Created_By: field('ownerlookup', 'Created By', SET),
  Modified_By: field('ownerlookup', 'Modified By', SET),
}
const owner = (label: string) => ({ ...SYSTEM, Owner: field('ownerlookup', label) })
const PERSON = {
  First_Name: field('text', 'First Name', { length: 40 }),
  Last_Name: field('text', 'Last Name', { ...NEEDED, length: 80 }),
  Full_Name: field('text', 'Full Name', SET),
  Email: field('email', 'Email', { length: 100, isChecked: true }),
  Phone: field('phone', 'Phone', { length: 30 }),
  Lead_Source: picklist('Lead Source', ['-None-', 'Cold Call', 'Trade Show', 'Web Download']),
}
const ACTIVITY = { Subject: field('text', 'Subject', NEEDED), Who_Id: lookup('Contact Name', 'Contacts') }

/** Each with its probability in percent. */
const STAGES = [
  ['Qualification', 10],
  ['Needs Analysis', 20],
  ['Proposal/Price Quote', 75],
  ['Closed Won', 100],
  ['Closed Lost', 0],
] as const

const OWN = { generated_type: 'default', isUpsertable: true } as const

export const MODULES: readonly Module[] = [
  {
    ...{ api_name: 'Leads', singular_label: 'Lead', plural_label: 'Leads', ...OWN },
    fields: { ...owner('Lead Owner'), ...PERSON, Company: field('text', 'Company', { length: 200 }) },
  },
  {
    ...{ api_name: 'Accounts', singular_label: 'Account', plural_label: 'Accounts', ...OWN },
    fields: {
      ...owner('Account Owner'),
      Account_Name: field('text', 'Account Name', { ...NEEDED, length: 200, isChecked: true }),
      Phone: field('phone', 'Phone', { length: 30 }),
      Website: field('website', 'Website'),
      Industry: picklist('Industry', ['-None-', 'Banking', 'Technology']),
      Billing_Street: field('text', 'Billing Street'),
      Billing_City: field('text', 'Billing City'),
      Billing_Country: field('text', 'Billing Country'),
      Description: field('textarea', 'Description'),
    },
  },
  {
    ...{ api_name: 'Contacts', singular_label: 'Contact', plural_label: 'Contacts', ...OWN },
    fields: {
      ...owner('Contact Owner'),
      ...PERSON,
      Account_Name: lookup('Account Name', 'Accounts'),
      Title: field('text', 'Title', { length: 100 }),
      Email_Opt_Out: field('boolean', 'Email Opt Out'),
      Description: field('textarea', 'Description'),
      Badge: field('text', 'Badge Number', { isUnique: true, length: 40 }),
      Languages: field('multiselectpicklist', 'Languages', { options: ['English', 'French', 'German'] }),
    },
  },
  {
    ...{ api_name: 'Deals', singular_label: 'Deal', plural_label: 'Deals', ...OWN },
    fields: {
      ...owner('Deal Owner'),
      Deal_Name: field('text', 'Deal Name', { ...NEEDED, length: 120 }),
      Stage: picklist(
        'Stage',
        STAGES.map(([name]) => name),
        NEEDED,
      ),
      Amount: field('currency', 'Amount'),
      Closing_Date: field('date', 'Closing Date'),
      Account_Name: lookup('Account Name', 'Accounts'),
      Contact_Name: lookup('Contact Name', 'Contacts'),
    },
  },
  {
    ...{ api_name: 'Tasks', singular_label: 'Task', plural_label: 'Tasks', ...OWN, isUpsertable: false },
    fields: {
      ...owner('Task Owner'),
      ...ACTIVITY,
      Status: picklist('Status', ['Not Started', 'In Progress', 'Completed', 'Deferred']),
      Due_Date: field('date', 'Due Date'),
      Priority: picklist('Priority', ['High', 'Normal', 'Low']),
    },
  },
  {
    ...{ api_name: 'Products', singular_label: 'Product', plural_label: 'Products', ...OWN },
    fields: {
      ...owner('Product Owner'),
      Product_Name: field('text', 'Product Name', { ...NEEDED, length: 200, isChecked: true }),
      Product_Code: field('text', 'Product Code', { length: 40 }),
      Unit_Price: field('currency', 'Unit Price'),
      Description: field('textarea', 'Description'),
    },
  },
  {
    ...{ api_name: 'Calls', singular_label: 'Call', plural_label: 'Calls', ...OWN, isUpsertable: false },
    fields: {
      ...owner('Call Owner'),
      ...ACTIVITY,
      Call_Type: picklist('Call Type', ['Inbound', 'Outbound', 'Missed'], NEEDED),
      Call_Start_Time: field('datetime', 'Call Start Time', NEEDED),
      Call_Duration: field('text', 'Call Duration'),
    },
  },
  {
    ...{ api_name: 'Events', singular_label: 'Meeting', plural_label: 'Meetings', ...OWN, isUpsertable: false },
    fields: {
      ...owner('Host'),
      Event_Title: field('text', 'Title', NEEDED),
      Start_DateTime: field('datetime', 'From', NEEDED),
      End_DateTime: field('datetime', 'To', NEEDED),
      Who_Id: lookup('Contact Name', 'Contacts'),
    },
  },
  {
    ...{ api_name: 'Notes', singular_label: 'Note', plural_label: 'Notes', ...OWN, isUpsertable: false },
    fields: {
      ...owner('Note Owner'),
      // Its value names the module.
      Parent_Id: lookup('Parent ID', ''),
      Note_Title: field('text', 'Note Title', { length: 120 }),
      Note_Content: field('textarea', 'Note Content', NEEDED),
    },
  },
]

/** A module that an account made for itself. */
export const SERVICE_CARS: Module = {
  ...{ api_name: 'Service_Cars', singular_label: 'Service Car', plural_label: 'Service Cars', isUpsertable: true },
  generated_type: 'custom',
  fields: {
    ...owner('Service Car Owner'),
    Name: field('text', 'Service Car Name', { ...NEEDED, length: 120 }),
    Plate: field('text', 'Number Plate', { isUnique: true, length: 20 }),
    State: picklist('Condition', ['-None-', 'New', 'Used']),
    Driver: lookup('Driver', 'Contacts'),
  },
}

const PERCENT: ReadonlyMap<string, number> = new Map(STAGES)

/** The entry of a field in /settings/fields. A stage has another value than it shows. */
export function describedField(api_name: string, one: Field): Record<string, unknown> {
  const { data_type, label, length, isReadOnly, isMandatory, isUnique, options, module } = one
  const able = { web_create: !isReadOnly, web_update: !isReadOnly, api_create: !isReadOnly, api_update: !isReadOnly }
  return {
    ...{ api_name, data_type, field_label: label, display_label: label, length, system_mandatory: isMandatory },
    ...{ read_only: isReadOnly, operation_type: able, unique: isUnique ? { casesensitive: 'false' } : {} },
    lookup: module === undefined ? {} : { module: { api_name: module, id: '1' } },
    pick_list_values: options.map((value, at) => ({
      ...{ id: String(9000 + at), actual_value: value, display_value: shownStage(value), sequence_number: at + 1 },
      ...{ reference_value: value, type: 'used', colour_code: null },
      ...(PERCENT.has(value) && { probability: PERCENT.get(value) }),
    })),
  }
}

function shownStage(value: string): string {
  return value === 'Proposal/Price Quote' ? 'Proposal' : value
}
