import { open } from 'node:fs/promises'
import { CrmError } from '../core/errors.ts'
import { newWebhookSecret } from '../core/signing.ts'
import { errorCode, toMachineError } from '../files/machine-error.ts'
import { publicKeyOf } from './verify.ts'

/** One secret per line, as several are valid during a rotation. CrmError `invalid_input` names the line, not the secret. */
export function parseSecrets(text: string, source: string): readonly string[] {
  const lines = text.split('\n').map((line) => line.trim())
  const secrets = lines.filter((line) => line !== '')
  if (secrets.length === 0) throw invalid(`${source} holds no secret`)
  for (const [index, line] of lines.entries()) {
    const where = `line ${index + 1} of ${source}`
    if (line.startsWith('whsk_'))
      throw invalid(`${where} is a private key (whsk_); verification needs the public key (whpk_)`)
    if (line.startsWith('whpk_') && !publicKeyOf(line))
      throw invalid(`${where} is not an ed25519 public key of 32 bytes`)
    if (line !== '' && !SECRET.test(line)) throw invalid(`${where} is not a signing secret`)
  }
  return secrets
}

/** Of Standard Webhooks, Svix and Stripe with a prefix; that of GitHub is any text, of which other files mostly have blanks. */
const SECRET = /^(?:whsec_[A-Za-z0-9+/_-]+={0,2}|whpk_.*|(?!whsec_|whpk_)[\x21-\x7e]{8,})$/

/** CrmError `usage` for a secret in place of the name of its file. */
export function refuseSecretAsName(file: string): void {
  if (!/^wh(?:sec|sk|pk)_/.test(file)) return
  const message = '--secret-file names a file, and was given a secret, which other users of this machine can read'
  throw new CrmError('usage', message, {
    hint: 'write it to a file that only you can read: --secret-file secret.txt; a secret that others have seen is replaced by crm webhooks rotate ID',
  })
}

/** Creates a file of mode 0600 with a new secret; false when the file exists. CrmError `machine` when it cannot be written. */
export async function makeSecretFile(path: string): Promise<boolean> {
  try {
    await using file = await open(path, 'wx', 0o600)
    await file.writeFile(`${newWebhookSecret()}\n`)
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw toMachineError(error, path)
  }
}

function invalid(message: string): CrmError {
  return new CrmError('invalid_input', message, {
    hint: 'expected one secret a line: whsec_…, for v1a whpk_…, or that of GitHub, 8 or more characters without blanks',
  })
}
