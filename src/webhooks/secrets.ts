import { CrmError } from '../core/errors.ts'
import { publicKeyOf } from './verify.ts'

/** One a line, as several are in use while one is rotated out; CrmError `invalid_input` names the line, not the secret. */
export function parseSecrets(text: string, source: string): readonly string[] {
  const lines = text.split('\n').map((line) => line.trim())
  const secrets = lines.filter((line) => line !== '')
  if (secrets.length === 0) throw invalid(`${source} holds no secret`)
  for (const [index, line] of lines.entries()) {
    const where = `line ${index + 1} of ${source}`
    if (line.startsWith('whsk_')) throw invalid(`${where} is a private key, and who verifies needs the public one`)
    if (line.startsWith('whpk_') && !publicKeyOf(line)) throw invalid(`${where} is no ed25519 public key of 32 bytes`)
  }
  return secrets
}

function invalid(message: string): CrmError {
  return new CrmError('invalid_input', message, { hint: 'expected a secret a line: whsec_… or, for v1a, whpk_…' })
}
