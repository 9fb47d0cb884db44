import { CrmError } from '../../core/errors.ts'
import { shellWord } from '../../core/shell-word.ts'

/** What hangs up on plain http often wants TLS. */
export function withScheme(error: CrmError, baseUrl: URL): CrmError {
  if (error.code !== 'unreachable' || baseUrl.protocol !== 'http:') return error
  return withHint(error, `is it https://${baseUrl.host}?`)
}

/** An address that leads into the interface and not to where it begins. */
export function withoutVersion(error: CrmError, baseUrl: URL): CrmError {
  const without = baseUrl.href.replace(/\/v1\/?$/, '')
  if (error.code !== 'not_found' || without === baseUrl.href) return error
  return withHint(error, `crm adds /v1 by itself: crm config set base_url ${shellWord(without)} -p PROFILE`)
}

/** In place of any other hint, the same command once more among them. */
function withHint({ code, message, details: { repeat: _, ...details } }: CrmError, hint: string): CrmError {
  return new CrmError(code, message, { ...details, hint })
}
