import type { Context } from '../../context.ts'
import type { Findings } from './job-types.ts'

/** Causes first, the largest of them first, each with the first places where it stands. */
export function showFindings(ctx: Context, findings: Findings): void {
  for (const { code, column, count, samples } of findings.groups()) {
    const where = column === undefined ? '' : ` in column ${JSON.stringify(column)}`
    ctx.note(`${count} x ${code.replaceAll('_', ' ')}${where}`)
    for (const { line, value, message } of samples) {
      ctx.note(`  line ${line}: ${message}${value === undefined ? '' : `, got ${JSON.stringify(value)}`}`)
    }
  }
}
