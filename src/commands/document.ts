import { CrmError } from '../core/errors.ts'
import { parseJsonAsWritten } from '../core/json.ts'

interface Source {
  /** A file's name, or `-`. */
  readonly name: string
  readonly flag: string
}

/** Parses JSON or YAML, distinguished by the file extension and the first character. */
export async function parseJsonOrYaml(text: string, { name, flag }: Source): Promise<unknown> {
  const isYaml = /\.ya?ml$/.test(name) || !/^\s*[{[]/.test(text)
  const parse = isYaml ? (await import('./yaml.ts')).parseYaml : parseJsonAsWritten
  try {
    return parse(text)
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
    const [reason] = cause.message.split('\n')
    throw new CrmError('invalid_input', `${flag} ${name} is not valid ${isYaml ? 'YAML' : 'JSON'}: ${reason}`, {
      cause,
      hint: `correct ${name === '-' ? 'what is piped in' : name}, and run the same command again`,
    })
  }
}
