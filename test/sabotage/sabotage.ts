/** A change of one line that takes a rule away, and the tests that must fail with it. */
export interface Sabotage {
  /** What would go wrong, as a sentence. */
  readonly name: string
  readonly file: string
  /** The whole line, or lines, as the file has them; indentation does not count. They stand in the file once. */
  readonly line: string
  /** What stands in place of them; empty to take them out. */
  readonly to: string
  readonly tests: readonly string[]
}

/** How often the lines stand in a text. */
export function countOf(source: string, line: string): number {
  return startsOf(source.split('\n'), trimmed(line)).length
}

/** The text with the change made. */
export function sabotaged(source: string, { line, to }: Pick<Sabotage, 'line' | 'to'>): string {
  const lines = source.split('\n')
  const wanted = trimmed(line)
  const [start, ...more] = startsOf(lines, wanted)
  if (start === undefined || more.length > 0) throw new Error(`found ${countOf(source, line)} times: ${line}`)
  return lines.toSpliced(start, wanted.length, ...(to === '' ? [] : [to])).join('\n')
}

function startsOf(lines: readonly string[], wanted: readonly string[]): readonly number[] {
  const bare = lines.map((each) => each.trim())
  return bare.flatMap((_, at) => (wanted.every((each, step) => bare[at + step] === each) ? [at] : []))
}

function trimmed(line: string): readonly string[] {
  return line.split('\n').map((each) => each.trim())
}
