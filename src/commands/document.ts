import { CrmError } from '../core/errors.ts'

interface Source {
  /** A file's name, or `-`. */
  readonly name: string
  readonly flag: string
}

/** JSON or YAML, told apart by the name's ending and the first character. */
export async function parseDocument(text: string, source: Source): Promise<unknown> {
  const isYaml = /\.ya?ml$/.test(source.name) || !/^\s*[{[]/.test(text)
  return isYaml ? parseYaml(text, source) : parseJson(text, source)
}

function parseJson(text: string, source: Source): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw malformed('JSON', source, cause)
  }
}

async function parseYaml(text: string, source: Source): Promise<unknown> {
  const { parse } = await import('yaml')
  try {
    return parse(text)
  } catch (cause) {
    throw malformed('YAML', source, cause)
  }
}

function malformed(language: string, { name, flag }: Source, cause: unknown): CrmError {
  const [reason = ''] = (cause as Error).message.split('\n')
  return new CrmError('invalid_input', `${flag} ${name} is not valid ${language}: ${reason}`, {
    cause,
    hint: `correct ${name === '-' ? 'what is piped in' : name}, and run the same command again`,
  })
}
