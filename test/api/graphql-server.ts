import { buildSchema, graphql } from 'graphql'
import { type SeenRequest, sendJson, startServer } from './answering-server.ts'

export interface GraphqlServer {
  readonly url: URL
  readonly seen: readonly SeenRequest[]
  /** The queries alone. */
  asked(): readonly string[]
}

/** A server that speaks GraphQL at one path, by the reference implementation, and answers 404 elsewhere. `isLost`: drops the connection. */
export async function startGraphqlServer(
  sdl: string,
  rootValue: object,
  path: string = '/graphql',
  isLost: () => boolean = () => false,
): Promise<GraphqlServer> {
  const schema = buildSchema(sdl)
  const { url, seen } = await startServer(async (response, { body, path: askedPath }) => {
    if (askedPath !== path) return sendJson(response, 404, { message: 'no such path' })
    const { query: source, variables: variableValues, operationName } = JSON.parse(body)
    const result = await graphql({ schema, source, rootValue, variableValues, operationName })
    if (isLost() && source.startsWith('mutation')) response.destroy()
    else sendJson(response, 200, result)
  })
  const asked = () => seen.flatMap(({ path: each, body }) => (each === path ? [JSON.parse(body).query as string] : []))
  return { url, seen, asked }
}
