import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

export interface Block {
  /** `docs/ci.md:51`: the line of its fence. */
  readonly place: string
  readonly page: string
  /** `sh` where every line is typed, `console` where those after `$ ` are, `yaml` where some are; else output. */
  readonly kind: 'sh' | 'console' | 'yaml' | 'output'
  readonly lines: readonly string[]
}

export interface Page {
  /** `docs/ci.md` */
  readonly path: string
  readonly blocks: readonly Block[]
  /** The texts in single backquotes. */
  readonly spans: readonly string[]
}

/** README and the handwritten pages; docs/reference is generated from the commands. */
export function readPages(): readonly Page[] {
  const docs = ['docs', 'docs/connectors'].flatMap((folder) =>
    readdirSync(`${ROOT}/${folder}`).flatMap((name) => (name.endsWith('.md') ? [`${folder}/${name}`] : [])),
  )
  return ['README.md', ...docs].map((path) => readPage(path, readFileSync(`${ROOT}/${path}`, 'utf8')))
}

function readPage(path: string, text: string): Page {
  const blocks: Block[] = []
  const prose: string[] = []
  let open: { place: string; language: string; lines: string[] } | undefined
  for (const [index, line] of text.split('\n').entries()) {
    const fence = /^ *```(\w*)/.exec(line)
    if (fence && open) {
      blocks.push({ place: open.place, page: path, kind: kindOf(open.language, open.lines), lines: open.lines })
      open = undefined
    } else if (fence) open = { place: `${path}:${index + 1}`, language: fence[1] ?? '', lines: [] }
    else if (open) open.lines.push(line)
    else prose.push(line)
  }
  const spans = [...prose.join('\n').matchAll(/(?<!`)`([^`]+)`(?!`)/g)].map(([, span = '']) =>
    span.replace(/\s+/g, ' '),
  )
  return { path, blocks, spans }
}

function kindOf(language: string, lines: readonly string[]): Block['kind'] {
  if (language === 'yaml') return 'yaml'
  if (lines.some((line) => line.startsWith('$ '))) return 'console'
  return language === 'sh' || /^(?:npx )?crm [a-z]/.test(lines[0] ?? '') ? 'sh' : 'output'
}

export interface TypedLine {
  /** A command with its continuation lines. */
  readonly line: string
  /** The output that the page shows after it. */
  readonly sample: readonly string[]
}

/** The commands of a block, each with its output. */
export function typedLines({ kind, lines }: Block): readonly TypedLine[] {
  if (kind === 'output') return []
  if (kind === 'yaml') {
    const commands = lines.flatMap((line) => /^\s*-?\s*(?:run: )?((?:npx )?crm .*)/.exec(line)?.[1] ?? [])
    return commands.map((line) => ({ line, sample: [] }))
  }
  const typed: { line: string; sample: string[] }[] = []
  let goesOn = false
  for (const line of lines) {
    const start = kind === 'sh' ? line : /^\$ (.*)/.exec(line)?.[1]
    const last = typed.at(-1)
    if (goesOn && last) last.line += `\n${line}`
    else if (start !== undefined && start.trim() !== '') typed.push({ line: start, sample: [] })
    else if (kind === 'console') last?.sample.push(line)
    goesOn = (goesOn || start !== undefined) && line.endsWith('\\')
  }
  return typed
}
