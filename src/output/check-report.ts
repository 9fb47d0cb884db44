import type { FilePlace } from '../core/errors.ts'

/** One thing that a command judged. */
export interface Check {
  readonly name: string
  /** Where it is written, if it is in a file. */
  readonly place?: Partial<FilePlace> | undefined
  /** Undefined: it passed. */
  readonly failure?: string | undefined
  /** Of one that passed: what there is to say. */
  readonly note?: string | undefined
}

export interface CheckReport {
  /** The command. */
  readonly name: string
  readonly startedAtMs: number
  readonly tookMs: number
  readonly checks: readonly Check[]
}

/** The XML that Jenkins, GitLab and others read as JUnit: one suite, a test case for each check. */
export function junitText({ name, startedAtMs, tookMs, checks }: CheckReport): string {
  const failures = checks.filter(({ failure }) => failure !== undefined).length
  const counts = { tests: checks.length, failures, errors: 0, time: (tookMs / 1000).toFixed(3) }
  const timestamp = new Date(startedAtMs).toISOString().slice(0, -'.000Z'.length)
  const cases = checks.map((check) => `    ${testCase(name, check)}\n`).join('')
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites${attributes({ name, ...counts })}>
  <testsuite${attributes({ name, ...counts, skipped: 0, timestamp })}>
${cases}  </testsuite>
</testsuites>
`
}

function testCase(suite: string, { name, place, failure, note }: Check): string {
  const head = `<testcase${attributes({ name, classname: suite, time: '0', file: place?.file, line: place?.line })}`
  if (failure !== undefined) {
    const where = place?.file === undefined ? '' : `${placeText(place)}: `
    const [first = ''] = failure.split('\n')
    return `${head}><failure${attributes({ message: first, type: 'failure' })}>${xmlText(where + failure)}</failure></testcase>`
  }
  return note === undefined ? `${head}/>` : `${head}><system-out>${xmlText(note)}</system-out></testcase>`
}

function placeText({ file, line, column }: Partial<FilePlace>): string {
  return [file, line, column].filter((part) => part !== undefined).join(':')
}

function attributes(values: Readonly<Record<string, string | number | undefined>>): string {
  return Object.entries(values)
    .map(([name, value]) => (value === undefined ? '' : ` ${name}="${xmlText(String(value))}"`))
    .join('')
}

/** XML 1.0, 2.2: it has no other characters below a blank, no surrogates, and neither U+FFFE nor U+FFFF. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what XML cannot have.
const NOT_IN_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
}

function xmlText(text: string): string {
  return text
    .toWellFormed()
    .replace(NOT_IN_XML, '\ufffd')
    .replace(/[&<>"\t\n\r]/g, (character) => ESCAPES[character] ?? '')
}

/** Further annotations are only counted: GitHub shows ten of a step. */
const MOST_ANNOTATIONS = 50

/** The workflow commands with which GitHub annotates files, each on its own line. */
export function githubText({ name, checks }: CheckReport): string {
  const said = checks.filter(({ failure, note }) => failure !== undefined || note !== undefined)
  const lines = said.slice(0, MOST_ANNOTATIONS).map(annotation)
  const more = said.length - lines.length
  if (more > 0) lines.push(annotation({ name, note: `${more} more are not shown` }))
  return lines.map((line) => `${line}\n`).join('')
}

function annotation({ name, place = {}, failure, note = '' }: Check): string {
  const { file, line, column } = place
  const properties = Object.entries({ file, line, col: column, title: name })
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${commandProperty(String(value))}`)
  return `::${failure === undefined ? 'notice' : 'error'} ${properties.join(',')}::${commandData(failure ?? note)}`
}

/** As `@actions/core` escapes them (toolkit, packages/core/src/command.ts). */
function commandData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function commandProperty(text: string): string {
  return commandData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
