import { isJsonObject, type JsonObject } from '../../core/json.ts'
import type { ApiParameter } from './api-description.ts'
import type { OfferedOperations } from './offered.ts'
import { askOf, variableName } from './path-parts.ts'
import type { ResourceContext } from './resource-context.ts'
import { foldedName } from './server-names.ts'

const SELECTS = [
  'fields',
  'select',
  'properties',
  'attributes',
  'columns',
  'fieldnames',
  'selectfields',
  'includefields',
]

/** The parameter with the names of the members to show: `?properties=email`, for fields in `properties`, or one that a list needs. */
export function selectParameter({ list }: OfferedOperations, inside: string): ApiParameter | undefined {
  return list?.parameters.find(({ name, in: place, isRequired, schema }) => {
    const isText = schema.type === 'string' || schema.type === 'array'
    const isNeeded = isRequired && isText && schema.values.length === 0 && SELECTS.includes(foldedName(name))
    return place === 'query' && (isNeeded || (inside !== '.' && name === inside))
  })
}

/** A record that is sent whole must be read whole: then the names are asked for at login. */
export function draftSelect(context: ResourceContext, { list, update }: JsonObject): JsonObject {
  const { offered, inside, variables, decisions, at } = context
  const found = selectParameter(offered, inside)
  if (!found) return {}
  const { name, description, isRequired } = found
  if (!isJsonObject(update) || update.sends !== 'whole') {
    const isComma = /comma/i.test(description) || !found.isRepeated
    return { select: { param: name, ...(isComma && { as: 'comma' }) } }
  }
  if (!isRequired || !isJsonObject(list)) return {}
  variables[variableName(name)] = { ask: askOf(name, description) }
  list.query = { ...(isJsonObject(list.query) && list.query), [name]: `{${variableName(name)}}` }
  decisions.decide(
    [...at, 'list'],
    `each request needs ${name}, and an update sends the whole record: name all members at login`,
  )
  return {}
}
