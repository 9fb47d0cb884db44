import type { ApiOptions } from '../options.ts'
import { chooseProxy, type WebProxy } from './proxy.ts'

/** What lies between crm and a server, and what it trusts. */
interface Route {
  readonly proxy: WebProxy | undefined
  /** The file of SSL_CERT_FILE. */
  readonly authorityFile: string | undefined
}

export function routeTo({ baseUrl, env = {} }: Pick<ApiOptions, 'baseUrl' | 'env'>): Route {
  return {
    proxy: chooseProxy(baseUrl, env),
    authorityFile: (baseUrl.protocol === 'https:' && env.SSL_CERT_FILE) || undefined,
  }
}
