export interface AuditResult {
  /** Names and severities of vulnerable packages that crm ships. */
  readonly shipped: readonly string[]
  /** The same for packages used only in development. */
  readonly others: readonly string[]
}

interface Vulnerability {
  readonly name: string
  readonly severity: string
  readonly nodes: readonly string[]
}

/** Reads the output of `npm audit --json`; undefined when the registry did not return a report. */
export function judgeAudit(printed: string, shippedPaths: ReadonlySet<string>): AuditResult | undefined {
  const report: { vulnerabilities?: Readonly<Record<string, Vulnerability>> } = JSON.parse(printed)
  if (!report.vulnerabilities) return undefined
  const all = Object.values(report.vulnerabilities)
  const isShipped = ({ nodes }: Vulnerability) => nodes.some((path) => shippedPaths.has(path))
  const named = ({ name, severity }: Vulnerability) => `${name} (${severity})`
  return {
    shipped: all.filter(isShipped).map(named),
    others: all.filter((each) => !isShipped(each)).map(named),
  }
}
