import { redactShapes } from './redact.ts'

/** Keys of GitHub, GitLab, Slack, Stripe and AWS, and JSON Web Tokens: forms that nothing but a credential has. */
const TOKEN_FORMS =
  /\b(?:gh[opsru]_[A-Za-z0-9]{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}|xox[abeoprs]-[A-Za-z0-9-]{8,}|[rs]k_(?:live|test)_[A-Za-z0-9]{8,}|(?:AKIA|ASIA)[A-Z0-9]{16}\b|eyJ[\w-]{4,}\.eyJ[\w-]{4,}\.[\w-]*)/g

/** Replaces texts that have the form of a credential, also of crm's own keys and signing secrets. */
export function hideTokens(text: string): string {
  return redactShapes(text).replace(TOKEN_FORMS, '[redacted]')
}

const PARAMETER = /(?<=[?&])([^=&#]*)=([^&#]*)/g

/** Names of parameters that hold a credential: token, api_key, X-Amz-Signature. */
const CREDENTIAL_PARAMETER = /(?:^|[-_.])(?:token|key|secret|password|passwd|sig|signature|apikey|accesstoken)$/i

/** An address to be shown: without user and password, and without the values of parameters that hold a credential. */
export function hideInAddress(text: string): string {
  const url = URL.parse(text)
  const isAnonymous = url && /^https?:$/.test(url.protocol) && !url.username && !url.password
  const shown = isAnonymous ? text : text.replace(/^((?:[^?#]*?:\/\/)?)[^?#]*@/s, '$1[redacted]@')
  return hideTokens(shown).replace(PARAMETER, (all, name: string, value: string) =>
    CREDENTIAL_PARAMETER.test(name) && value !== '' ? `${name}=[redacted]` : all,
  )
}

/** Whether a parameter of the address holds a credential. */
export function hasCredentialParameter({ search }: URL): boolean {
  return hideInAddress(search) !== search
}
