import { CrmError } from '../../core/errors.ts'
import { settingCommand, type Wire } from '../../core/wire.ts'
import { type Endpoint, openEndpoint } from '../graphql/endpoint.ts'
import type { GraphqlAnswer } from '../graphql/graphql-api.ts'
import { readOffers } from '../graphql/offers.ts'
import { INTROSPECTION, readSchema } from '../graphql/schema.ts'
import { type Finding, notAsked, type Proposal } from './finding.ts'
import type { OpenApi } from './openapi.ts'
import type { Probe } from './probe.ts'

const check = 'graphql'

/** Queries the schema at the path in the settings, then at the usual paths, then at the path in the OpenAPI document. */
export async function checkGraphql(probe: Probe, wire: Wire, openapi: OpenApi | undefined): Promise<Finding> {
  const outage = probe.outage()
  if (outage) return notAsked(check, outage.message)
  const guesses = [wire.graphqlPath, ...(wire.graphqlPath === undefined ? [] : [undefined]), openapi?.graphqlPath]
  let refusal: CrmError | undefined
  for (const graphqlPath of new Set(guesses)) {
    const endpoint = openEndpoint(probe.http, { ...probe.options, wire: { ...wire, graphqlPath } }, undefined)
    const answer = await introspect(endpoint)
    if (!(answer instanceof CrmError)) return offeredFinding(answer, endpoint, { graphqlPath, wire })
    if (answer.code !== 'not_supported') {
      return { check, state: 'warn', seen: answer.message, hint: answer.details.hint }
    }
    refusal ??= answer
  }
  const isNamed = wire.graphqlPath !== undefined && wire.graphqlPath !== 'none'
  const seen = refusal?.message ?? 'none'
  const found = { path: null, offers: [] }
  if (!isNamed) return { check, state: 'ok', seen, found }
  return { check, state: 'warn', seen, found, hint: settingCommand('wire.graphql_path ""', wire) }
}

async function introspect(endpoint: Endpoint): Promise<GraphqlAnswer | CrmError> {
  const request = { query: INTROSPECTION, variables: {}, operationName: undefined, idempotencyKey: undefined }
  try {
    return await endpoint.send({ ...request, isRead: true, isProbe: true })
  } catch (error) {
    if (!(error instanceof CrmError) || error.code === 'interrupted') throw error
    return error
  }
}

function offeredFinding(
  { json }: GraphqlAnswer,
  endpoint: Endpoint,
  { graphqlPath, wire }: { readonly graphqlPath: string | undefined; readonly wire: Wire },
): Finding {
  const path = endpoint.path() ?? ''
  const schema = readSchema(json.data)
  const offers = schema ? Object.keys(readOffers(schema)) : []
  const what = schema
    ? `with ${offers.join(', ') || 'nothing that crm has commands for'}`
    : 'without introspection: commands that need GraphQL, such as pipelines list, do not work'
  const proposals: Proposal[] =
    graphqlPath === wire.graphqlPath ? [] : [{ setting: 'wire.graphql_path', value: graphqlPath ?? '' }]
  const state = schema ? 'ok' : 'warn'
  const finding: Finding = { check, state, seen: `${path}, ${what}`, found: { path, offers }, proposals }
  if (proposals.length === 0 || wire.graphqlPath === undefined) return finding
  return { ...finding, state: 'warn', hint: `wire.graphql_path is ${wire.graphqlPath}: crm doctor --fix` }
}
