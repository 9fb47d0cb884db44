import { extname } from 'node:path'
import type { InputFormat } from './row.ts'

const BY_ENDING: Readonly<Record<string, InputFormat>> = {
  '.csv': 'csv',
  '.txt': 'csv',
  '.tsv': 'tsv',
  '.tab': 'tsv',
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
  '.json': 'json',
  '.yaml': 'yaml',
  '.yml': 'yaml',
}

/** By the extension of the name; if that is unknown, by the beginning of the text. */
export function detectFormat(name: string, start: string): InputFormat {
  return formatOfName(name) ?? formatOfText(start)
}

export function formatOfName(name: string): InputFormat | undefined {
  return BY_ENDING[extname(name).toLowerCase()]
}

function formatOfText(start: string): InputFormat {
  if (/^\s*\{\s*(?:"|\})/.test(start)) return 'jsonl'
  if (/^\s*\[\s*(?:\{|\])/.test(start)) return 'json'
  const afterComments = start.replace(/^(?:[ \t]*(?:#.*)?\r?\n)+/, '')
  if (/^(?:%YAML |---\s|- |[\w"]+: )/.test(afterComments)) return 'yaml'
  const [head = ''] = start.split(/[\r\n]/, 1)
  return head.includes('\t') && !/[,;|]/.test(head) ? 'tsv' : 'csv'
}
