import { CrmError } from '../../core/errors.ts'
import { baseUrlText } from '../../core/http-rules.ts'
import { shellWord } from '../../core/shell-words.ts'
import { type ServerTerms, settingCommand } from '../server-terms.ts'
import { checkConnected } from './connected.ts'
import { CHECKS, type Finding, namingAddress, notAsked } from './finding.ts'
import { openProbe, type ProbeTarget } from './probe.ts'
import { checkReach } from './reach.ts'

/**
 * The findings about a server, in the order of CHECKS. Sends the requests by which the connector lists contacts, and writes
 * nothing. CrmError `interrupted` if the signal aborts.
 */
export async function diagnose(target: ProbeTarget): Promise<readonly Finding[]> {
  const reach = await checkReach(target)
  if (target.key === undefined) return complete(reach.findings, 'no key', target)
  if (!reach.isOpen) return complete(reach.findings, 'the server cannot be reached', target)
  const probe = openProbe(target, target.key)
  try {
    return complete([...reach.findings, ...(await checkConnected(probe))], 'the server stopped answering', target)
  } finally {
    await probe.http.close()
  }
}

function complete(findings: readonly Finding[], why: string, target: ProbeTarget): readonly Finding[] {
  return CHECKS.map((check) => findings.find((finding) => finding.check === check) ?? notAsked(check, why)).map(
    (finding) => withAddress(namingAddress(finding, target.terms), target),
  )
}

/** With a hint where the address is probably another one. */
function withAddress(finding: Finding, { baseUrl, terms }: ProbeTarget): Finding {
  const hint = finding.check === 'records' && finding.failure && otherAddress(finding, baseUrl, terms)
  if (!finding.failure || !hint) return finding
  const {
    code,
    message,
    details: { repeat: _, ...details },
  } = finding.failure
  return { ...finding, hint, failure: new CrmError(code, message, { ...details, hint }) }
}

/** A server that drops plain http often expects TLS; a path of the API may have been given with the address. */
function otherAddress({ failure, hint }: Finding, baseUrl: URL, terms: ServerTerms): string | undefined {
  const code = failure?.code
  if (code === 'unreachable' && baseUrl.protocol === 'http:') return `is it https://${baseUrl.host}?`
  const without = baseUrl.href.replace(/\/v1\/?$/, '')
  if (code !== 'not_found') return undefined
  if (without === baseUrl.href) {
    const probe = `crm connectors create --probe ${shellWord(baseUrlText(baseUrl))} --out mycrm.yaml`
    return `${hint ?? 'is the address right?'}; for another CRM: ${probe}`
  }
  return `crm adds /v1 itself: ${settingCommand(`base_url ${shellWord(without)}`, terms)}`
}
