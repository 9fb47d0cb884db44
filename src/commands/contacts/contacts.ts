import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act } from '../../context.ts'
import { addContactsCreate } from './create.ts'
import { addContactsDelete } from './delete.ts'
import { addContactsExport } from './export.ts'
import { addContactsGet } from './get.ts'
import { addContactsImport } from './import.ts'
import { addContactsList } from './list.ts'
import { addContactsUpdate } from './update.ts'

export function addContacts(program: CommandUnknownOpts, act: Act): void {
  const contacts = program.command('contacts').description('list, read, create, change and delete contacts')
  addContactsList(contacts, act)
  addContactsGet(contacts, act)
  addContactsCreate(contacts, act)
  addContactsUpdate(contacts, act)
  addContactsDelete(contacts, act)
  addContactsExport(contacts, act)
  addContactsImport(contacts, act)
}
