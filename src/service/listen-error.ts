import { CrmError } from '../core/errors.ts'

const FAULTS: Readonly<Record<string, readonly [reason: string, hint: (portFlag: string) => string]>> = {
  EADDRINUSE: ['the port is in use', (flag) => `use a free port: crm serve ${flag} 0`],
  EACCES: ['no permission for this port', (flag) => `use a free port: crm serve ${flag} 0`],
  EADDRNOTAVAIL: ['this machine has no such address', (flag) => `crm serve ${hostFlag(flag)} 127.0.0.1`],
  ENOTFOUND: ['no such host', (flag) => `crm serve ${hostFlag(flag)} 127.0.0.1`],
}

/** The CrmError for an address that cannot be listened on; any other error is returned unchanged. */
export function listenError(
  { host, port, portFlag = '--port' }: { readonly host: string; readonly port: number; readonly portFlag?: string },
  error: unknown,
): unknown {
  const [reason, hint] = FAULTS[(error as NodeJS.ErrnoException).code ?? ''] ?? []
  if (reason === undefined || hint === undefined) return error
  return new CrmError('machine', `cannot listen on ${host}:${port}: ${reason}`, { hint: hint(portFlag), cause: error })
}

function hostFlag(portFlag: string): string {
  return portFlag.replace('port', 'host')
}
