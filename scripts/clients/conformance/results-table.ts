import type { Result } from './run-suite.ts'
import type { Language } from './suite.ts'

/** A row for each area, a column for each language; below it what each client lacks. */
export function resultsTable(
  all: ReadonlyMap<string, readonly Result[]>,
  languages: Readonly<Record<string, Language>>,
): string {
  const areas = [...new Set([...all.values()].flat().map(({ area }) => area))]
  const columns = [...all].map(([lang, results]) => ({ name: languages[lang]?.name ?? lang, results }))
  const row = (name: string, isIn: (result: Result) => boolean) =>
    [name, ...columns.map(({ results }) => cell(results.filter(isIn)))].join(' | ')
  const lacks = [...all.keys()].flatMap((lang) => {
    const { name, lacks: reasons } = languages[lang] ?? { name: lang, lacks: {} }
    return Object.entries(reasons).map(([what, reason]) => `- ${name}, \`${what}\`: ${reason}.`)
  })
  return [
    '',
    `| area | ${columns.map(({ name }) => name).join(' | ')} |`,
    `|${'---|'.repeat(columns.length + 1)}`,
    ...areas.map((area) => `| ${row(area, (result) => result.area === area)} |`),
    `| ${row('all', () => true)} |`,
    '',
    ...(lacks.length === 0 ? [] : ['Lacking:', '', ...lacks, '']),
  ].join('\n')
}

function cell(results: readonly Result[]): string {
  const count = (wanted: Result['outcome']) => results.filter(({ outcome }) => outcome === wanted).length
  const failed = count('failed') === 0 ? '' : `, ${count('failed')} failed`
  const lacking = count('lacking') === 0 ? '' : `, ${count('lacking')} lacking`
  return `${count('passed')} of ${results.length}${failed}${lacking}`
}
