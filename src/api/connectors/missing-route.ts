import type { ConnectorDocument } from '../../connector/document.ts'
import { shippedConnector } from '../../connector/shipped.ts'
import type { Failure } from '../errors/failure.ts'
import type { ApiOptions } from '../options.ts'
import { settingCommand } from '../server-terms.ts'
import type { Call } from '../transport/call.ts'
import { isOfTemplate } from './connector.ts'

/**
 * A 404 without the code that refusals of this server have may be one of the path, not of the record. Where the connector has the request
 * beyond the one that it extends, the server may have that one alone.
 */
export async function checkRoute(
  failure: Failure,
  call: Call,
  { connector, terms }: Pick<ApiOptions, 'connector' | 'terms'>,
): Promise<Failure> {
  const { document } = connector
  const { extends: base, error } = document
  const { status, serverCode, body: _, ...rest } = failure
  const isCoded = base === undefined || error.code === undefined || serverCode !== undefined
  if (status !== 404 || isCoded || call.isAnyTypeTaken) return failure
  if (!hasRequest(document, call) || hasRequest(await shippedConnector(base), call)) return failure
  const use = terms.profile === undefined ? `export CRM_CONNECTOR=${base}` : settingCommand(`connector ${base}`, terms)
  return {
    ...rest,
    code: 'not_supported',
    reason: `${failure.reason}, without a code at ${error.code}: the server may lack ${call.method} ${call.path}, as it does if it has no more than the connector ${base} describes`,
    hint: use,
  }
}

function hasRequest({ resources }: ConnectorDocument, { method, path }: Call): boolean {
  return Object.values(resources).some((described) =>
    Object.values(described).some(
      (each) =>
        typeof each === 'object' &&
        each !== null &&
        'method' in each &&
        each.method === method &&
        isOfTemplate(path, String(each.path)),
    ),
  )
}
