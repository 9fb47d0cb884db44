import type { ResourceDefinition } from '../../core/resources/field.ts'
import { type OpenResource, RESOURCES } from '../../core/resources/registry.ts'
import type { CommandGroup } from '../command-tree.ts'
import { addCreate } from './create.ts'
import { addDelete } from './delete.ts'
import { addExport } from './export.ts'
import { addGet } from './get.ts'
import { addRecordHistory } from './history.ts'
import { addImport } from './import.ts'
import { addList } from './list.ts'
import { addRestore } from './restore.ts'
import { addUpdate } from './update.ts'

/** The commands of an object that users of the server described. */
export function ownCommands(name: string): CommandGroup {
  const resource = name as OpenResource
  const { plural, singular, hints, fields }: ResourceDefinition = RESOURCES[resource]
  const [, field = 'name'] = Object.keys(fields)
  const crm = `crm ${plural}`
  const id = `${singular}_0abc`
  const match = hints?.match ?? 'id'
  return {
    description: `list, read, create, change and delete ${plural}`,
    commands: {
      list: (parent, act) =>
        addList(parent, act, { resource, examples: [`${crm} list --limit 20`, `${crm} list -o csv > ${plural}.csv`] }),
      get: (parent, act) => addGet(parent, act, { resource, examples: [`${crm} get ${id} -o json`] }),
      history: (parent, act) => addRecordHistory(parent, act, { resource }),
      restore: (parent, act) => addRestore(parent, act, resource),
      create: (parent, act) => addCreate(parent, act, { resource, examples: [`${crm} create --set ${field}=...`] }),
      update: (parent, act) =>
        addUpdate(parent, act, { resource, examples: [`${crm} update ${id} --set ${field}=... --if-match 3`] }),
      delete: (parent, act) => addDelete(parent, act, { resource, examples: [`${crm} delete ${id}`] }),
      export: (parent, act) => addExport(parent, act, { resource, examples: [`${crm} export ${plural}.csv`] }),
      import: (parent, act) =>
        addImport(parent, act, { resource, examples: [`${crm} import ${plural}.csv --match ${match} --dry-run`] }),
    },
  }
}
