import { type Answered, serveForTest, type TestService } from '../serve-for-test.ts'

export interface GraphqlError {
  readonly message: string
  readonly path?: readonly (string | number)[]
  readonly extensions: Readonly<Record<string, unknown>>
}

export interface GraphqlAnswer extends Answered {
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what its own query asked for
  readonly data: any
  readonly errors: readonly GraphqlError[] | undefined
}

export type Ask = (query: string, variables?: object, headers?: Record<string, string>) => Promise<GraphqlAnswer>

/** Sends a query as most clients do. */
function asking({ send }: TestService): Ask {
  return async (query, variables, headers) => {
    const answer = await send('POST', '/v1/graphql', { query, variables }, headers)
    return { ...answer, data: answer.json.data, errors: answer.json.errors as GraphqlAnswer['errors'] }
  }
}

export async function graphqlForTest(
  options: Parameters<typeof serveForTest>[0] = {},
): Promise<TestService & { ask: Ask }> {
  const service = await serveForTest(options)
  return { ...service, ask: asking(service) }
}
