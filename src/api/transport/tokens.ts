import { CrmError } from '../../core/errors.ts'
import { createGrowingRedactor, createRedactor, type Redactor } from '../../core/redact.ts'
import type { ApiOptions } from '../options.ts'
import type { Connections } from './connections.ts'
import { NoReply, type Outgoing } from './exchange.ts'
import { replaceHeaders } from './headers.ts'

export function redactorOf({ tokens, key }: Pick<ApiOptions, 'tokens' | 'key'>): Redactor {
  return tokens ? createGrowingRedactor(tokens.secrets) : createRedactor([key])
}

/** Each request has the token of its time; one whose token is refused, which did nothing, is sent once more with the next. */
export function withTokens(
  connections: Connections,
  { tokens, connector, key }: Pick<ApiOptions, 'tokens' | 'connector' | 'key'>,
): Connections {
  if (!tokens) return connections
  const withToken = (outgoing: Outgoing, token: string): Outgoing =>
    token === key
      ? outgoing
      : { ...outgoing, headers: replaceHeaders(outgoing.headers, connector.credentials(token).headers) }
  return {
    ...connections,
    exchange: async (outgoing, limits) => {
      const token = await got(tokens.current())
      const reply = await connections.exchange(withToken(outgoing, token), limits)
      if (reply.status !== 401) return reply
      const next = await got(tokens.after(token))
      return next === undefined ? reply : connections.exchange(withToken(outgoing, next), limits)
    },
  }
}

/** Without a token, nothing was sent. */
function got<Token>(asked: Promise<Token>): Promise<Token> {
  return asked.catch((error: unknown) => {
    if (!(error instanceof CrmError) || (error.code !== 'unreachable' && error.code !== 'interrupted')) throw error
    throw new NoReply(error.code === 'interrupted' ? 'interrupted' : 'network', false, error)
  })
}
