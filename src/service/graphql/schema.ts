import { buildSchema, type GraphQLObjectType, type GraphQLSchema, isInterfaceType, isObjectType } from 'graphql'
import { STORED_RESOURCES, typeName } from '../../core/resources/registry.ts'
import { memberName } from './input-members.ts'
import { mutationResolvers } from './mutation-resolvers.ts'
import { MUTATION_TYPES } from './mutation-types.ts'
import { queryResolvers } from './query-resolvers.ts'
import { QUERY_TYPES } from './query-types.ts'
import { RecordSource } from './record-source.ts'
import type { Resolver } from './resolver.ts'
import { addScalars } from './scalars.ts'
import { typeResolvers } from './type-resolvers.ts'

export function schemaText(): string {
  return `${QUERY_TYPES}${MUTATION_TYPES}`
}

/** The schema as text, with what answers its fields; those without a resolver are members of their source. */
export function createSchema(): GraphQLSchema {
  const schema = buildSchema(schemaText())
  addScalars(schema)
  for (const resource of STORED_RESOURCES) addMembers(objectType(schema, typeName(resource)))
  addResolvers(objectType(schema, 'Query'), queryResolvers)
  addResolvers(objectType(schema, 'Mutation'), mutationResolvers)
  for (const [name, resolvers] of Object.entries(typeResolvers)) addResolvers(objectType(schema, name), resolvers)
  const node = schema.getType('Node')
  if (isInterfaceType(node)) node.resolveType = typeNameOf
  return schema
}

function typeNameOf(source: unknown): string {
  if (!(source instanceof RecordSource)) return 'Pipeline'
  return typeName(source.kind)
}

function addMembers(type: GraphQLObjectType): void {
  for (const field of Object.values(type.getFields())) {
    const member = memberName(field.name)
    field.resolve = ({ members }: RecordSource) => members[member]
  }
}

function addResolvers(type: GraphQLObjectType, resolvers: Readonly<Record<string, Resolver>>): void {
  const fields = type.getFields()
  for (const [name, resolve] of Object.entries(resolvers)) {
    const field = fields[name]
    if (!field) throw new Error(`the schema has no ${type.name}.${name}`)
    field.resolve = resolve
  }
}

function objectType(schema: GraphQLSchema, name: string): GraphQLObjectType {
  const type = schema.getType(name)
  if (!isObjectType(type)) throw new Error(`the schema has no ${name}`)
  return type
}
