import { idPrefix } from '../../core/ids.ts'
import type { ResourceDefinition } from '../../core/resources/field.ts'
import { type OpenResource, RESOURCES } from '../../core/resources/registry.ts'
import type { CommandGroup, Commands } from '../command-tree.ts'
import { addCreate } from './create.ts'
import { addDelete } from './delete.ts'
import { addDuplicates } from './duplicates.ts'
import { addExport } from './export.ts'
import { addGet } from './get.ts'
import { addRecordHistory } from './history.ts'
import { addImport } from './import.ts'
import { addList } from './list.ts'
import { addMerge } from './merge.ts'
import { addRestore } from './restore.ts'
import { addUpdate } from './update.ts'

/** The commands of an object, as its definition says: of those that users of the server described, and of companies and tasks. */
export function ownCommands(name: string): CommandGroup {
  const resource = name as OpenResource
  const { plural, hints, fields, duplicatesBy }: ResourceDefinition = RESOURCES[resource]
  const [, field = 'name'] = Object.keys(fields)
  const crm = `crm ${plural}`
  const id = `${idPrefix(resource)}0abc`
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
      ...(duplicatesBy !== undefined && mergeCommands(resource, { crm, id })),
    },
  }
}

function mergeCommands(resource: OpenResource, { crm, id }: Readonly<Record<'crm' | 'id', string>>): Commands {
  const groups = 'groups.jsonl'
  return {
    duplicates: (parent, act) =>
      addDuplicates(parent, act, {
        resource,
        examples: [`${crm} duplicates`, `${crm} duplicates -o jsonl > ${groups}`],
      }),
    merge: (parent, act) =>
      addMerge(parent, act, {
        resource,
        examples: [
          `${crm} merge ${id} ${id.slice(0, -1)}d --dry-run`,
          `${crm} merge --from ${groups} --yes --expect 12`,
        ],
      }),
  }
}
