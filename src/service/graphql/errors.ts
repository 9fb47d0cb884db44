import { GraphQLError, type GraphQLFormattedError } from 'graphql'
import { Problem } from '../problem.ts'

/** An error of an answer: `extensions` has the members of a REST problem. */
export function formatError(error: GraphQLError, requestId: string): GraphQLFormattedError {
  const { message, locations, path, extensions } = error.toJSON()
  const own = { code: 'invalid_variables', ...extensions, ...problemParts(error.originalError), request_id: requestId }
  return { message, ...(locations && { locations }), ...(path && { path }), extensions: own }
}

/** A failure that is not the client's ends the whole request as it does for REST, and its log line is the same. */
export function requireNoFailure(errors: readonly GraphQLError[]): void {
  for (const { originalError } of errors) {
    if (originalError === undefined || originalError instanceof GraphQLError) continue
    if (!(originalError instanceof Problem) || originalError.status >= 500) throw originalError
  }
}

function problemParts(original: Error | undefined): Record<string, unknown> {
  if (!(original instanceof Problem)) return {}
  const { code, errors, extensions } = original.parts
  return { code, status: original.status, ...(errors && { errors }), ...extensions }
}
