import { CrmError } from '../../core/errors.ts'
import { shellWord } from '../../core/shell-words.ts'

/** Adds a hint: a server that drops plain http connections often expects TLS. */
export function withScheme(error: CrmError, baseUrl: URL): CrmError {
  if (error.code !== 'unreachable' || baseUrl.protocol !== 'http:') return error
  return withHint(error, `is it https://${baseUrl.host}?`)
}

/** Adds a hint for a base URL that includes the version of the API. */
export function withoutVersion(error: CrmError, baseUrl: URL): CrmError {
  const without = baseUrl.href.replace(/\/v1\/?$/, '')
  if (error.code !== 'not_found' || without === baseUrl.href) return error
  return withHint(error, `crm adds /v1 itself: crm config set base_url ${shellWord(without)} -p PROFILE`)
}

/** Replaces any other hint, and the suggestion to repeat the command. */
function withHint({ code, message, details: { repeat: _, ...details } }: CrmError, hint: string): CrmError {
  return new CrmError(code, message, { ...details, hint })
}
