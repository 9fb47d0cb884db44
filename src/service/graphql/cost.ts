import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isListType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql'
import { LIMIT } from '../page.ts'

export interface Cost {
  /** The maximum number of fields in the response. */
  readonly fields: number
  /** Nesting levels of fields. */
  readonly depth: number
}

/** The assumed length of lists without pages: the stages of a pipeline. */
const USUAL_LIST = 10

/** Additional cost of a field: introspection walks the schema, a mutation waits for the disk. */
const EXTRA: Readonly<Record<string, number>> = { __schema: 5000, __type: 1000 }
const MUTATION_EXTRA = 5000

interface Walk {
  readonly schema: GraphQLSchema
  readonly variables: Readonly<Record<string, unknown>>
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly known: Map<string, Cost>
}

/** The cost of an operation in a validated document, in which no fragment contains itself. */
export function costOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): Cost {
  const all = document.definitions.filter((each) => each.kind === Kind.FRAGMENT_DEFINITION)
  const fragments = new Map(all.map((each) => [each.name.value, each]))
  const root = schema.getRootType(operation.operation)
  const walk = { schema, variables: withDefaults(operation, variables), fragments, known: new Map() }
  return root ? costOfSelections(walk, operation.selectionSet, root, 1) : { fields: 0, depth: 0 }
}

/** `size` is the number of nodes of the connection that has these selections. */
function costOfSelections(walk: Walk, set: SelectionSetNode, type: GraphQLCompositeType, size: number): Cost {
  let [fields, depth] = [0, 0]
  for (const selection of set.selections) {
    const cost = costOfSelection(walk, selection, type, size)
    fields += cost.fields
    depth = Math.max(depth, cost.depth)
  }
  return { fields, depth }
}

function costOfSelection(walk: Walk, selection: SelectionNode, type: GraphQLCompositeType, size: number): Cost {
  if (selection.kind === Kind.FIELD) return costOfField(walk, selection, type, size)
  if (selection.kind === Kind.FRAGMENT_SPREAD) return costOfSpread(walk, selection.name.value, size)
  const on = walk.schema.getType(selection.typeCondition?.name.value ?? type.name)
  return costOfSelections(walk, selection.selectionSet, isCompositeType(on) ? on : type, size)
}

/** Nested fragments could take exponential time, so each is walked once per size. */
function costOfSpread(walk: Walk, name: string, size: number): Cost {
  const key = `${size} ${name}`
  const before = walk.known.get(key)
  if (before) return before
  const fragment = walk.fragments.get(name)
  const on = fragment && walk.schema.getType(fragment.typeCondition.name.value)
  const cost =
    fragment && isCompositeType(on) ? costOfSelections(walk, fragment.selectionSet, on, size) : { fields: 0, depth: 0 }
  walk.known.set(key, cost)
  return cost
}

function costOfField(walk: Walk, field: FieldNode, parent: GraphQLCompositeType, size: number): Cost {
  const name = field.name.value
  const own = 1 + (EXTRA[name] ?? 0) + (parent === walk.schema.getMutationType() ? MUTATION_EXTRA : 0)
  const definition = 'getFields' in parent ? parent.getFields()[name] : undefined
  const type = definition && getNamedType(definition.type)
  if (!definition || !isCompositeType(type) || !field.selectionSet) return { fields: own, depth: 1 }
  const isList = isListType(getNullableType(definition.type))
  const isOfConnection = parent.name.endsWith('Connection')
  const times = !isList ? 1 : isOfConnection ? size : USUAL_LIST
  const inner = costOfSelections(walk, field.selectionSet, type, sizeOf(walk, field))
  return { fields: own + times * inner.fields, depth: 1 + inner.depth }
}

/** The maximum number of nodes of a connection. An invalid number is rejected on execution. */
function sizeOf({ variables }: Walk, field: FieldNode): number {
  const argument = field.arguments?.find(({ name }) => name.value === 'first')?.value
  const first = argument && valueFrom(argument, variables)
  return typeof first === 'number' && first >= LIMIT.smallest && first <= LIMIT.largest ? first : LIMIT.usual
}

function valueFrom(node: ValueNode, variables: Walk['variables']): unknown {
  if (node.kind === Kind.VARIABLE) return variables[node.name.value]
  return node.kind === Kind.INT ? Number(node.value) : undefined
}

function withDefaults({ variableDefinitions }: OperationDefinitionNode, sent: Walk['variables']): Walk['variables'] {
  const defaults = (variableDefinitions ?? []).flatMap(({ variable, defaultValue }) =>
    defaultValue ? [[variable.name.value, valueFrom(defaultValue, {})] as const] : [],
  )
  return { ...Object.fromEntries(defaults), ...sent }
}
