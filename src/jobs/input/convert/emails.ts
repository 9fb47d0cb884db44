const WRAPPED = /^(?:mailto:(?<link>[^?]+)(?:\?.*)?|.*<\s*(?:mailto:)?(?<named>[^<>]+)\s*>)$/is

const LOCAL = /^[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u

const LABEL = /^[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?$/u

/** RFC 5321, 4.5.3.1. */
const LONGEST = { local: 64, address: 254 }

/** The bare address in lower case; undefined for a text that is none. A quoted local part is refused. */
export function readEmail(text: string): string | undefined {
  const { link, named } = WRAPPED.exec(text.trim())?.groups ?? {}
  const address = (link ?? named ?? text).trim().normalize('NFC').toLowerCase()
  const at = address.lastIndexOf('@')
  const [local, domain] = [address.slice(0, Math.max(0, at)), address.slice(at + 1)]
  const labels = domain.split('.')
  const isDomain = labels.length > 1 && labels.every((label) => LABEL.test(label)) && !/^\d+$/.test(labels.at(-1) ?? '')
  if (!isDomain || !LOCAL.test(local)) return undefined
  return local.length <= LONGEST.local && address.length <= LONGEST.address ? address : undefined
}
