import { ID, KEPT_BY_SERVER, type ResourceDefinition } from './field.ts'

export const CONTACT = {
  singular: 'contact',
  plural: 'contacts',
  idPrefix: 'con_',
  path: '/v1/contacts',
  operations: ['list', 'create', 'update', 'delete'],
  serviceOperations: ['get'],
  filters: ['email', 'name', 'phone', 'company', 'owner_id', 'created_since', 'created_until'],
  isOpen: true,
  isImportable: true,
  uniqueBy: 'email',
  duplicatesBy: 'email,phone,name~',
  hints: { match: 'email', where: '.company == null' },
  about: 'People.',
  example: { name: 'Ada Lovelace', email: 'ada@engines.example', owner_id: 'u_ines', vip: true },
  fields: {
    ...ID,
    name: {
      type: 'text',
      about: 'Name of the person',
      width: [22, 36],
      aliases: ['fullname', 'contactname', 'displayname', 'title'],
    },
    email: { type: 'text', about: 'Address', width: [22, 36], aliases: ['mail', 'emailaddress'] },
    phone: {
      type: 'text',
      about: 'Telephone number',
      width: [15, 18],
      aliases: ['phonenumber', 'telephone', 'telephonenumber', 'tel', 'mobile', 'mobilephone'],
    },
    company: {
      type: 'text',
      about: 'Name of the company',
      width: [18, 28],
      aliases: ['companyname', 'organisation', 'organization', 'account'],
    },
    owner_id: { type: 'reference', about: 'Id of the user who owns it', width: [8, 14], aliases: ['owner'] },
    ...KEPT_BY_SERVER,
  },
} as const satisfies ResourceDefinition
