import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'
import { CrmError } from '../core/errors.ts'

interface Fault {
  readonly reason: string
  /** With the name of the flag for the port: another value for it, or for the host. */
  repeat(portFlag: string): { readonly flag: string; readonly value: string }
}

const freePort = (flag: string) => ({ flag, value: '0' })
const loopback = (portFlag: string) => ({ flag: portFlag.replace('port', 'host'), value: '127.0.0.1' })

const FAULTS: Readonly<Record<string, Fault>> = {
  EADDRINUSE: { reason: 'the port is in use', repeat: freePort },
  EACCES: { reason: 'no permission for this port', repeat: freePort },
  EADDRNOTAVAIL: { reason: 'this machine has no such address', repeat: loopback },
  ENOTFOUND: { reason: 'no such host', repeat: loopback },
}

/** Starts to listen, and resolves with the host and port as in a URL. CrmError `machine` for an address that cannot be used. */
export async function listenAt(
  server: Server,
  { host, port, portFlag = '--port' }: { readonly host: string; readonly port: number; readonly portFlag?: string },
): Promise<string> {
  try {
    await once(server.listen({ host, port }), 'listening')
  } catch (cause) {
    const fault = FAULTS[(cause as NodeJS.ErrnoException).code ?? '']
    if (fault === undefined) throw cause
    const repeat = fault.repeat(portFlag)
    const hint = `crm serve ${repeat.flag} ${repeat.value}`
    throw new CrmError('machine', `cannot listen on ${host}:${port}: ${fault.reason}`, { hint, repeat, cause })
  }
  return `${host.includes(':') ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`
}
