import { CrmError } from '../../core/errors.ts'
import { baseUrlText } from '../../core/http-rules.ts'
import { shellWord } from '../../core/shell-words.ts'
import { settingCommand } from '../server-terms.ts'
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
function withAddress(finding: Finding, target: ProbeTarget): Finding {
  const hint = otherAddress(finding, target) ?? otherServer(finding, target)
  if (!finding.failure || !hint) return finding
  const {
    code,
    message,
    details: { repeat: _, ...details },
  } = finding.failure
  return { ...finding, hint, failure: new CrmError(code, message, { ...details, hint }) }
}

/** A server that drops plain http often expects TLS; a path of the API may have been given with the address. */
function otherAddress({ check, failure }: Finding, { baseUrl, terms }: ProbeTarget): string | undefined {
  if (check !== 'records') return undefined
  if (failure?.code === 'unreachable' && baseUrl.protocol === 'http:') return `is it https://${baseUrl.host}?`
  const without = baseUrl.href.replace(/\/v1\/?$/, '')
  if (failure?.code !== 'not_found' || without === baseUrl.href) return undefined
  return `crm adds /v1 itself: ${settingCommand(`base_url ${shellWord(without)}`, terms)}`
}

/** A stranger refuses the path of contacts, too, as if the key were wrong; a refusal of `crm serve` has a code. */
function otherServer({ failure, hint }: Finding, { baseUrl, terms, connector }: ProbeTarget): string | undefined {
  const { offers, error } = connector.document
  if (!failure || !['unauthorized', 'forbidden', 'not_found'].includes(failure.code)) return undefined
  const isCoded = error.code !== undefined && failure.details.serverCode !== undefined
  const isForServe = offers !== undefined
  if (isForServe && isCoded) return undefined
  const profile = terms.profile === undefined ? '' : ` -p ${shellWord(terms.profile)}`
  const probe = `crm connectors create --probe ${shellWord(baseUrlText(baseUrl))}${profile} --out mycrm.yaml`
  if (isForServe)
    return `${hint}; the server may not be crm serve, whose refusals have a code; for another CRM: ${probe}`
  return failure.code === 'not_found' ? `${hint}; for another CRM: ${probe}` : undefined
}
