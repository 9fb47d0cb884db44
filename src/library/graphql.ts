import type { Api } from '../api/api.ts'
import { graphqlError } from '../api/graphql/answers.ts'
import { CrmError } from '../core/errors.ts'
import { type GraphqlOperation, readOperations } from '../core/graphql-operations.ts'
import { isJsonObject } from '../core/json.ts'
import { timeOrderedUuid } from '../core/time-ordered-uuid.ts'
import { checkNames } from './call-checks.ts'
import type { Graphql, GraphqlCall } from './client-types.ts'
import { guarded } from './safe-errors.ts'

export function graphqlMethod(open: () => Promise<Api>): Graphql {
  return <Data>(query: string, options: GraphqlCall = {}) =>
    guarded(async () => {
      checkNames('graphql', options, ['variables', 'operationName', 'idempotencyKey', 'signal'])
      const { variables = {}, operationName, idempotencyKey, signal } = options
      const { type, name } = operationOf(query, operationName)
      const isRead = type === 'query'
      const { json, errors } = await (await open()).graphql.send({
        ...{ query, variables, isRead, signal },
        operationName: name,
        idempotencyKey: isRead ? undefined : (idempotencyKey ?? timeOrderedUuid()),
      })
      const { data } = json
      if (errors.length > 0)
        throw graphqlError({ errors, action: `send the ${type}`, hint: 'correct it, and send it again' })
      if (isJsonObject(data)) return data as Data
      throw new CrmError('bad_answer', 'the answer of GraphQL has neither data nor errors', {
        hint: 'check the address',
      })
    })
}

function operationOf(query: string, name: string | undefined): GraphqlOperation {
  const all = typeof query === 'string' ? readOperations(query) : []
  const [only, ...others] = name === undefined ? all : all.filter((operation) => operation.name === name)
  if (only && others.length === 0 && only.type !== 'subscription') return only
  const known = all.map((operation) => operation.name ?? 'one without a name').join(', ')
  throw new CrmError(
    'invalid_input',
    `the document has no single query or mutation to send: ${known || 'it is empty'}`,
    {
      hint: "expected such as '{ __typename }'; operationName selects one of several",
    },
  )
}
