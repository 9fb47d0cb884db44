// The objects and fields of an organization, as `describe` of the public documentation shows them, and three of its own
// (`__c`): an external id, a restricted picklist and a number.

export type FieldType =
  | 'id'
  | 'reference'
  | 'string'
  | 'email'
  | 'phone'
  | 'textarea'
  | 'picklist'
  | 'multipicklist'
  | 'boolean'
  | 'double'
  | 'int'
  | 'date'
  | 'datetime'

export interface Field {
  readonly type: FieldType
  readonly label: string
  readonly length: number
  /** The server alone sets it. */
  readonly isReadOnly: boolean
  readonly isRequired: boolean
  readonly isExternalId: boolean
  /** It can name a record in an upsert: an external id, or a standard field with idLookup. */
  readonly isLookup: boolean
  readonly options: readonly string[]
  /** Other values than its options are refused. */
  readonly isRestricted: boolean
  /** Of a create without one. */
  readonly usual?: string | boolean
  readonly referenceTo: readonly string[]
}

export interface ObjectType {
  readonly name: string
  readonly label: string
  readonly labelPlural: string
  /** The first three characters of its ids. */
  readonly keyPrefix: string
  readonly isWritable: boolean
  readonly fields: Readonly<Record<string, Field>>
}

function field(type: FieldType, label: string, more: Partial<Field> = {}): Field {
  return {
    ...{ type, label, length: type === 'email' ? 80 : 255, isReadOnly: false, isRequired: false },
    ...{ isExternalId: false, isLookup: false, options: [], isRestricted: false, referenceTo: [] },
    ...more,
  }
}

const SET = { isReadOnly: true }
const NEEDED = { isRequired: true }
const user = (label: string, more: Partial<Field> = {}) => field('reference', label, { referenceTo: ['User'], ...more })
const picklist = (label: string, options: readonly string[], more: Partial<Field> = {}) =>
  field('picklist', label, { options, ...more })

const SYSTEM = {
  Id: field('id', 'Record ID', SET),
  IsDeleted: field('boolean', 'Deleted', SET),
  CreatedDate: field('datetime', 'Created Date', SET),
  CreatedById: user('Created By ID', SET),
  LastModifiedDate: field('datetime', 'Last Modified Date', SET),
  LastModifiedById: user('Last Modified By ID', SET),
  SystemModstamp: field('datetime', 'System Modstamp', SET),
}
const OWNER = { OwnerId: user('Owner ID') }
const KEY = { Key__c: field('string', 'Key', { isExternalId: true, isLookup: true, length: 40 }) }
const ACCOUNT = { AccountId: field('reference', 'Account ID', { referenceTo: ['Account'] }) }

export const STAGES = ['Prospecting', 'Qualification', 'Negotiation/Review', 'Closed Won', 'Closed Lost'] as const

export const OBJECTS: readonly ObjectType[] = [
  {
    ...{ name: 'Account', label: 'Account', labelPlural: 'Accounts', keyPrefix: '001', isWritable: true },
    fields: {
      ...SYSTEM,
      ...OWNER,
      ...KEY,
      Name: field('string', 'Account Name', NEEDED),
      Phone: field('phone', 'Account Phone', { length: 40 }),
      Website: field('string', 'Website'),
      Industry: picklist('Industry', ['Agriculture', 'Banking', 'Technology']),
      Type: picklist('Account Type', ['Prospect', 'Customer']),
      BillingStreet: field('string', 'Billing Street'),
      BillingCity: field('string', 'Billing City', { length: 40 }),
      BillingCountry: field('string', 'Billing Country', { length: 80 }),
      NumberOfEmployees: field('int', 'Employees'),
      Description: field('textarea', 'Account Description', { length: 32_000 }),
    },
  },
  {
    ...{ name: 'Contact', label: 'Contact', labelPlural: 'Contacts', keyPrefix: '003', isWritable: true },
    fields: {
      ...SYSTEM,
      ...OWNER,
      ...KEY,
      ...ACCOUNT,
      LastName: field('string', 'Last Name', { ...NEEDED, length: 80 }),
      FirstName: field('string', 'First Name', { length: 40 }),
      Name: field('string', 'Full Name', SET),
      Email: field('email', 'Email', { isLookup: true }),
      Phone: field('phone', 'Business Phone', { length: 40 }),
      Title: field('string', 'Title', { length: 128 }),
      Birthdate: field('date', 'Birthdate'),
      LeadSource: picklist('Lead Source', ['Web', 'Phone Inquiry', 'Partner Referral', 'Other']),
      DoNotCall: field('boolean', 'Do Not Call', { usual: false }),
      Level__c: picklist('Level', ['Primary', 'Secondary', 'Tertiary'], { isRestricted: true }),
      Languages__c: field('multipicklist', 'Languages', { options: ['English', 'French', 'German'] }),
      Score__c: field('double', 'Score'),
      // A formula.
      Rank__c: field('double', 'Rank', SET),
    },
  },
  {
    ...{ name: 'Opportunity', label: 'Opportunity', labelPlural: 'Opportunities', keyPrefix: '006', isWritable: true },
    fields: {
      ...SYSTEM,
      ...OWNER,
      ...KEY,
      ...ACCOUNT,
      Name: field('string', 'Name', { ...NEEDED, length: 120 }),
      StageName: picklist('Stage', STAGES, NEEDED),
      CloseDate: field('date', 'Close Date', NEEDED),
      Amount: field('double', 'Amount'),
      Description: field('textarea', 'Description', { length: 32_000 }),
      IsClosed: field('boolean', 'Closed', SET),
      IsWon: field('boolean', 'Won', SET),
    },
  },
  {
    ...{ name: 'Task', label: 'Task', labelPlural: 'Tasks', keyPrefix: '00T', isWritable: true },
    fields: {
      ...SYSTEM,
      ...OWNER,
      Subject: field('string', 'Subject'),
      Description: field('textarea', 'Description', { length: 32_000 }),
      Status: picklist('Status', ['Not Started', 'In Progress', 'Completed', 'Deferred'], { usual: 'Not Started' }),
      Priority: picklist('Priority', ['High', 'Normal', 'Low'], { usual: 'Normal' }),
      ActivityDate: field('date', 'Due Date Only'),
      IsClosed: field('boolean', 'Closed', SET),
      WhoId: field('reference', 'Name ID', { referenceTo: ['Contact'] }),
      WhatId: field('reference', 'Related To ID', { referenceTo: ['Account', 'Opportunity'] }),
    },
  },
  {
    ...{ name: 'Note', label: 'Note', labelPlural: 'Notes', keyPrefix: '002', isWritable: true },
    fields: {
      ...SYSTEM,
      ...OWNER,
      ParentId: field('reference', 'Parent ID', { ...NEEDED, referenceTo: ['Account', 'Contact', 'Opportunity'] }),
      Title: field('string', 'Title', { ...NEEDED, length: 80 }),
      Body: field('textarea', 'Body', { length: 32_000 }),
    },
  },
  {
    ...{ name: 'OpportunityStage', label: 'Opportunity Stage', labelPlural: 'Opportunity Stages', keyPrefix: '01J' },
    isWritable: false,
    fields: {
      ...SYSTEM,
      MasterLabel: field('string', 'Master Label'),
      ApiName: field('string', 'API Name'),
      IsActive: field('boolean', 'Is Active'),
      SortOrder: field('int', 'Sort Order'),
      IsClosed: field('boolean', 'Closed'),
      IsWon: field('boolean', 'Won'),
      DefaultProbability: field('double', 'Default Probability (%)'),
    },
  },
  {
    ...{ name: 'User', label: 'User', labelPlural: 'Users', keyPrefix: '005', isWritable: false },
    fields: {
      ...SYSTEM,
      Name: field('string', 'Full Name'),
      Email: field('email', 'Email', { isLookup: true }),
      IsActive: field('boolean', 'Active'),
    },
  },
]

/** The entry of a field in `describe`. */
export function describedField(name: string, one: Field): Record<string, unknown> {
  const { type, label, length, isReadOnly, isRequired, isExternalId, isLookup, isRestricted, usual, referenceTo } = one
  return {
    ...{ name, label, type, length, custom: name.endsWith('__c'), calculated: false, autoNumber: false },
    ...{
      createable: !isReadOnly,
      updateable: !isReadOnly,
      filterable: type !== 'textarea',
      sortable: type !== 'textarea',
    },
    ...{ nillable: !isRequired && type !== 'boolean', defaultedOnCreate: usual !== undefined || name === 'OwnerId' },
    ...{ externalId: isExternalId, unique: isExternalId, caseSensitive: false, idLookup: isLookup || type === 'id' },
    picklistValues: one.options.map((value) => ({ active: true, defaultValue: value === usual, label: value, value })),
    ...{ restrictedPicklist: isRestricted, referenceTo },
  }
}
