const SHOWN = '[redacted]'

/** What a secret looks like wherever it stands: bearer credentials, signing secrets, and this service's own keys. */
const SECRET_SHAPES = [/\bBearer\s+[^\s"',;]+/gi, /\bwhsec_[A-Za-z0-9+/=_-]{8,}/g, /\bcrm_key_[A-Za-z0-9_-]{8,}/g]

/**
 * The one point that every log line, error, journal entry and debug line passes. `secrets` are values in use now,
 * which need not look like anything.
 */
export function redact(text: string, secrets: Iterable<string>): string {
  let clean = text
  for (const secret of secrets) if (secret.length >= 4) clean = clean.replaceAll(secret, SHOWN)
  for (const shape of SECRET_SHAPES)
    clean = clean.replace(shape, (found) => (/^bearer/i.test(found) ? `Bearer ${SHOWN}` : SHOWN))
  return clean
}
