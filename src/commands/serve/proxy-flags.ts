import { BlockList, isIP } from 'node:net'
import { InvalidArgumentError } from 'commander'
import { isPathPrefix } from '../../core/http-rules.ts'
import type { Proxies } from '../../service/proxies.ts'

/** `10.0.0.0/8,::1`. */
export function parseTrustProxy(text: string): Proxies['trusts'] {
  const trusts = trustedNetworks(text.split(',').map((each) => each.trim()))
  if (trusts) return trusts
  throw new InvalidArgumentError('Expected addresses or networks, such as 10.0.0.0/8,::1.')
}

/** `/crm`; a slash at its end is left out. */
export function parseBasePath(text: string): string {
  const path = text.replace(/\/$/, '')
  if (path === '' || isPathPrefix(path)) return path
  throw new InvalidArgumentError('Expected a path such as /crm.')
}

/** `10.0.0.0/8`, `::1`; undefined for a text that is neither an address nor a network. */
function trustedNetworks(texts: readonly string[]): Proxies['trusts'] | undefined {
  const networks = new BlockList()
  for (const text of texts) {
    const [address = '', bits, ...more] = text.split('/')
    const family = familyOf(address)
    const most = family === 'ipv6' ? 128 : 32
    if (family === undefined || more.length > 0 || (bits !== undefined && !/^\d{1,3}$/.test(bits))) return undefined
    if (Number(bits ?? most) > most) return undefined
    networks.addSubnet(address, Number(bits ?? most), family)
  }
  return (address) => {
    const family = familyOf(address)
    return family !== undefined && networks.check(address, family)
  }
}

function familyOf(address: string): 'ipv4' | 'ipv6' | undefined {
  return ({ 4: 'ipv4', 6: 'ipv6' } as const)[isIP(address)]
}
