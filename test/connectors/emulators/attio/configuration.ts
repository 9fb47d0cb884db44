import { randomUUID } from 'node:crypto'
import type { Answer, Call, Params, Route, Row } from '../emulator.ts'
import {
  type Attribute,
  type AttributeType,
  findAttribute,
  newAttribute,
  newObject,
  type ObjectType,
  TYPES,
} from './attributes.ts'
import { inData, notFound, ok, refuse, takeBody, takePage } from './rules.ts'
import { WORKSPACE_ID, type Workspace } from './workspace.ts'

const TEXT = { type: 'string', minLength: 1 }
const FLAG = { type: 'boolean' }

const SENT = {
  object: inData({ api_slug: TEXT, singular_noun: TEXT, plural_noun: TEXT }, [
    'api_slug',
    'singular_noun',
    'plural_noun',
  ]),
  attribute: inData(
    {
      ...{ title: TEXT, description: { type: ['string', 'null'] }, api_slug: TEXT },
      // Attributes of type "status" are not supported on objects.
      type: {
        type: 'string',
        enum: Object.keys(TYPES).filter((type) => type !== 'status' && type !== 'personal-name'),
      },
      ...{ is_required: FLAG, is_unique: FLAG, is_multiselect: FLAG, config: { type: 'object' } },
    },
    ['title', 'description', 'api_slug', 'type', 'is_required', 'is_unique', 'is_multiselect', 'config'],
  ),
  option: inData({ title: TEXT }, ['title']),
}

/** The objects of a workspace, their attributes, and the options and statuses of these. */
export function configurationRoutes(workspace: Workspace): Route[] {
  const attributes = '/v2/objects/:object/attributes'
  const objectOf = ({ object = '' }: Params) => workspace.objectNamed(object)
  const attributeOf = (params: Params, type: AttributeType) => {
    const found = findAttribute(objectOf(params), params.attribute ?? '')
    return found?.type === type ? found : notFound('Attribute with slug/ID', params.attribute ?? '')
  }
  return [
    { method: 'GET', path: '/v2/objects', answer: () => ok(workspace.objects.map(shownObject)) },
    { method: 'POST', path: '/v2/objects', answer: (call) => createObject(workspace, call) },
    {
      method: 'GET',
      path: attributes,
      answer: ({ query }, params) => {
        const object = objectOf(params)
        const { limit, offset } = takePage(query, { max: 500 })
        return ok(object.attributes.map((each) => shownAttribute(object, each)).slice(offset, offset + limit))
      },
    },
    {
      method: 'POST',
      path: attributes,
      answer: (call, params) => createAttribute(workspace, objectOf(params), call),
    },
    {
      method: 'GET',
      path: `${attributes}/:attribute/options`,
      answer: (_, params) => ok(attributeOf(params, 'select').options),
    },
    {
      method: 'POST',
      path: `${attributes}/:attribute/options`,
      answer: (call, params) => {
        const { id: attribute_id, options } = attributeOf(params, 'select')
        const { title } = takeBody(call, SENT.option).data as Row
        if (options.some((option) => option.title === title))
          return refuse(409, 'slug_conflict', `There is already another select option with the title "${title}".`)
        const object_id = objectOf(params).id
        const id = { workspace_id: WORKSPACE_ID, object_id, attribute_id, option_id: randomUUID() }
        options.push({ id, title, is_archived: false })
        return ok(options.at(-1))
      },
    },
    {
      method: 'GET',
      path: `${attributes}/:attribute/statuses`,
      answer: (_, params) => {
        attributeOf(params, 'status')
        return ok(workspace.table('statuses').present)
      },
    },
  ]
}

function createObject(workspace: Workspace, call: Call): Answer {
  const { api_slug, singular_noun, plural_noun } = takeBody(call, SENT.object).data as Readonly<Record<string, string>>
  const named = { slug: String(api_slug), singular: String(singular_noun), plural: String(plural_noun) }
  if (workspace.object(named.slug))
    return refuse(409, 'slug_conflict', 'Failed to create object. Please ensure your api_slug and names are unique.')
  const object = newObject(named)
  workspace.addObject(object)
  return ok(shownObject(object))
}

function createAttribute(workspace: Workspace, object: ObjectType, call: Call): Answer {
  const { config, ...data } = takeBody(call, SENT.attribute).data as Row
  const slug = String(data.api_slug)
  if (findAttribute(object, slug))
    return refuse(409, 'slug_conflict', 'An attribute with the same API slug already exists on this object.')
  const { allowed_objects } = ((config as Row).record_reference ?? {}) as { readonly allowed_objects?: string[] }
  const attribute = newAttribute({
    slug,
    title: String(data.title),
    type: data.type as AttributeType,
    isMultiselect: data.is_multiselect === true,
    isUnique: data.is_unique === true,
    isRequired: data.is_required === true,
    isWritable: true,
    allowed: allowed_objects?.map((each) => workspace.objectNamed(each).id) ?? null,
  })
  object.attributes.push(attribute)
  return ok(shownAttribute(object, attribute))
}

function shownObject({ id: object_id, slug, singular, plural, createdAt }: ObjectType): Row {
  const id = { workspace_id: WORKSPACE_ID, object_id }
  return { id, api_slug: slug, singular_noun: singular, plural_noun: plural, created_at: createdAt }
}

function shownAttribute({ id: object_id }: ObjectType, attribute: Attribute): Row {
  const { id: attribute_id, title, slug, type, isWritable, isRequired, isUnique, isMultiselect } = attribute
  return {
    id: { workspace_id: WORKSPACE_ID, object_id, attribute_id },
    ...{ title, description: null, api_slug: slug, type, is_system_attribute: !isWritable, is_writable: isWritable },
    ...{ is_required: isRequired, is_unique: isUnique, is_multiselect: isMultiselect },
    ...{ is_default_value_enabled: false, is_archived: false, default_value: null, relationship: null },
    created_at: attribute.createdAt,
    config: {
      currency: { default_currency_code: type === 'currency' ? 'USD' : null, display_type: null },
      record_reference: { allowed_object_ids: attribute.allowed },
    },
  }
}
