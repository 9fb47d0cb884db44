import { CrmError } from '../core/errors.ts'
import { FAULT_STATUSES, type FaultPlan, type FaultStatus, type InjectedFault } from '../service/injected-faults.ts'

/** Percent of requests by kind of fault: `{ 500: 2, 'reset-after': 1 }`. */
export type FaultShares = Readonly<Record<string, number>>

const AFTERWARDS = /-after$/

/** CrmError `usage` for an unknown kind of fault and for shares over 100 % in total. */
export function faultPlanOf(latencyMs: number, shares: FaultShares, isOn: () => boolean): FaultPlan | undefined {
  const faults = Object.entries(shares).map(([kind, percent]) => faultOf(kind, percent))
  const percent = Object.values(shares).reduce((sum, each) => sum + each, 0)
  if (percent > 100) {
    throw new CrmError('usage', `the shares of failing requests add up to ${percent} %, expected at most 100 %`, {
      hint: 'lower the shares: --fail 500=2%,reset=1%',
    })
  }
  return latencyMs > 0 || faults.length > 0 ? { latencyMs, faults, isOn } : undefined
}

function faultOf(kind: string, percent: number): InjectedFault {
  if (!(percent >= 0 && percent <= 100)) {
    throw new CrmError('usage', `${kind} is given ${percent} % of the requests, expected 0 to 100 %`, {
      hint: '--fail 500=2%,reset=1%',
    })
  }
  const what = kind.replace(AFTERWARDS, '')
  return { status: statusOf(what, kind), isAfterwards: AFTERWARDS.test(kind), share: percent / 100 }
}

function statusOf(what: string, kind: string): FaultStatus | undefined {
  if (what === 'reset') return undefined
  const status = FAULT_STATUSES.find((each) => String(each) === what)
  if (status !== undefined) return status
  throw new CrmError('usage', `unknown fault ${JSON.stringify(kind)}`, {
    hint: `expected ${FAULT_STATUSES.join(', ')} or reset; with the suffix -after the request takes effect first`,
  })
}
