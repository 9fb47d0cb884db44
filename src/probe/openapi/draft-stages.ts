import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import { draftFields } from './draft-fields.ts'
import type { DraftResource } from './draft-resource.ts'
import { escaped, idMemberOf, joined } from './record-places.ts'
import type { SchemaView } from './schemas.ts'
import { foldedName, memberNamed, nameFit } from './server-names.ts'

interface EmbeddedStages {
  /** The member of a pipeline with its stages. */
  readonly name: string
  readonly view: SchemaView
  /** The member of a stage with its id. */
  readonly id: string
}

/** Stages as a list within each pipeline; undefined if pipelines have none. */
export function stagesInPipelines(pipelines: DraftResource): DraftResource | undefined {
  const { value, context } = pipelines
  const { list, path, id } = value
  const found = stagesIn(pipelines)
  if (!isJsonObject(list) || typeof list.items !== 'string' || !found) return undefined
  const { schemas } = context.api
  const isInteger = schemas.member(found.view, found.id)?.type === 'integer'
  const read = { schemas, read: found.view, write: undefined, hasStages: false }
  const { pipeline_id: _, ...fields } = draftFields('stage', read).fields
  const { items, paging, ...request } = list
  const [, within = ''] = /\[\]\.?([^[\]]*)$/.exec(items) ?? []
  const made: JsonObject = {
    path: path ?? '',
    id: isInteger ? { at: escaped(found.id), type: 'integer' } : escaped(found.id),
    list: {
      ...request,
      items: `${items}.${joined(context.inside, found.name)}[]`,
      up: { pipeline_id: below(within, idPath(id)) },
      ...(paging !== undefined && { paging }),
    },
    fields: { ...fields, pipeline_id: 'pipeline_id' },
  }
  return { value: made, context, methods: [] }
}

function idPath(id: JsonValue | undefined): string {
  const at = isJsonObject(id) ? id.at : id
  return typeof at === 'string' ? at : 'id'
}

function below(path: string, at: string): string {
  return path === '' ? at : `${path}.${at}`
}

function stagesIn({ context: { api, fieldsView } }: DraftResource): EmbeddedStages | undefined {
  for (const name of fieldsView.members.keys()) {
    const member = api.schemas.member(fieldsView, name)
    const isNamed = nameFit('stage', name) > 0 || foldedName(name) === 'statuses'
    if (member?.type !== 'array' || !isNamed) continue
    const view = api.schemas.view(member.items)
    const id = idMemberOf('stage', view) ?? memberNamed(view.members, ['stage', 'statusid', 'status'])
    if (id !== undefined) return { name, view, id }
  }
  return undefined
}
