import { ID, KEPT_BY_SERVER, type ResourceDefinition } from './field.ts'

export const CONTACT = {
  singular: 'contact',
  plural: 'contacts',
  idPrefix: 'con_',
  path: '/v1/contacts',
  operations: ['list', 'create', 'update', 'delete'],
  isPlain: true,
  isImportable: true,
  hints: { match: 'email', where: '.company == null' },
  about: 'People.',
  example: { name: 'Ada Lovelace', email: 'ada@engines.example', owner_id: 'u_ines', vip: true },
  fields: {
    ...ID,
    name: {
      type: 'text',
      about: 'Name of the person',
      aliases: ['fullname', 'contactname', 'displayname', 'title'],
    },
    email: { type: 'text', about: 'Address', aliases: ['mail', 'emailaddress'] },
    phone: {
      type: 'text',
      about: 'Telephone number',
      aliases: ['phonenumber', 'telephone', 'telephonenumber', 'tel', 'mobile', 'mobilephone'],
    },
    company: {
      type: 'text',
      about: 'Name of the company',
      aliases: ['companyname', 'organisation', 'organization', 'account'],
    },
    owner_id: { type: 'reference', about: 'Id of the user who owns it', aliases: ['owner'] },
    ...KEPT_BY_SERVER,
  },
} as const satisfies ResourceDefinition
