export const FLAWS = ['unsigned', 'wrong-secret', 'altered', 'stale', 'future'] as const

/** What is wrong with an event that a handler must refuse. */
export type Flaw = (typeof FLAWS)[number]

interface ToSign {
  readonly id: string
  /** Unix seconds. */
  readonly timestamp: number
  /** What is signed. */
  readonly body: Buffer
  readonly secrets: readonly string[]
}

/** Twice what receivers allow. */
const TOO_FAR_SECONDS = 600

export function flawed(event: ToSign, flaw: Flaw | undefined): ToSign & { readonly sentBody: Buffer } {
  const sentBody = flaw === 'altered' ? Buffer.concat([event.body, Buffer.from(' ')]) : event.body
  const shift = flaw === 'stale' ? -TOO_FAR_SECONDS : flaw === 'future' ? TOO_FAR_SECONDS : 0
  const wrong = `whsec_${Buffer.from('not the secret that you know....').toString('base64')}`
  const others: readonly string[] = flaw === 'wrong-secret' ? [wrong] : []
  const secrets = flaw === 'unsigned' || flaw === 'wrong-secret' ? others : event.secrets
  return { ...event, timestamp: event.timestamp + shift, secrets, sentBody }
}
