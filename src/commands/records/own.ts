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

type Verb = 'list' | 'get' | 'create' | 'update' | 'delete' | 'export' | 'import' | 'duplicates' | 'merge'

type Examples = Readonly<Record<Verb, readonly string[]>>

/** The commands of an open resource, as its definition says. */
export function ownCommands(name: string, examples: Examples = usualExamples(name)): CommandGroup {
  const resource = name as OpenResource
  const { plural, duplicatesBy }: ResourceDefinition = RESOURCES[resource]
  const of = (verb: Verb) => ({ resource, examples: examples[verb] })
  const ofDuplicates: Commands = {
    duplicates: (parent, act) => addDuplicates(parent, act, of('duplicates')),
    merge: (parent, act) => addMerge(parent, act, of('merge')),
  }
  return {
    description: `list, read, create, change and delete ${plural}`,
    commands: {
      list: (parent, act) => addList(parent, act, of('list')),
      get: (parent, act) => addGet(parent, act, of('get')),
      history: (parent, act) => addRecordHistory(parent, act, { resource }),
      restore: (parent, act) => addRestore(parent, act, resource),
      create: (parent, act) => addCreate(parent, act, of('create')),
      update: (parent, act) => addUpdate(parent, act, of('update')),
      delete: (parent, act) => addDelete(parent, act, of('delete')),
      export: (parent, act) => addExport(parent, act, of('export')),
      import: (parent, act) => addImport(parent, act, of('import')),
      ...(duplicatesBy !== undefined && ofDuplicates),
    },
  }
}

function usualExamples(name: string): Examples {
  const resource = name as OpenResource
  const { plural, hints, fields }: ResourceDefinition = RESOURCES[resource]
  const [, field = 'name'] = Object.keys(fields)
  const crm = `crm ${plural}`
  const id = `${idPrefix(resource)}0abc`
  return {
    list: [`${crm} list --limit 20`, `${crm} list -o csv > ${plural}.csv`],
    get: [`${crm} get ${id} -o json`],
    create: [`${crm} create --set ${field}=...`],
    update: [`${crm} update ${id} --set ${field}=... --if-match 3`],
    delete: [`${crm} delete ${id}`],
    export: [`${crm} export ${plural}.csv`],
    import: [`${crm} import ${plural}.csv --match ${hints?.match ?? 'id'} --dry-run`],
    duplicates: [`${crm} duplicates`, `${crm} duplicates -o jsonl > groups.jsonl`],
    merge: [`${crm} merge ${id} ${id.slice(0, -1)}d --dry-run`, `${crm} merge --from groups.jsonl --yes --expect 12`],
  }
}
