import { Buffer } from 'node:buffer'
import type { ConnectorDocument } from './document.ts'
import { headerText } from './header-text.ts'
import { compileTemplate, fillText, type TemplateValues } from './templates.ts'

/** How the key is sent with every request. */
export interface Credentials {
  /** Alternating names and values. */
  readonly headers: readonly string[]
  readonly query: readonly (readonly [name: string, value: string])[]
}

/** `{key}` exists in these templates alone. */
export function compileCredentials(
  { auth }: ConnectorDocument,
  variables: TemplateValues,
): (key: string) => Credentials {
  switch (auth.in) {
    case 'bearer':
      return (key) => ({ headers: ['Authorization', `Bearer ${key}`], query: [] })
    case 'basic': {
      const [user, password] = [compileTemplate(auth.user), compileTemplate(auth.password)]
      return (key) => {
        const pair = `${fillText(user, { ...variables, key })}:${fillText(password, { ...variables, key })}`
        return { headers: ['Authorization', `Basic ${Buffer.from(pair).toString('base64')}`], query: [] }
      }
    }
    case 'header': {
      const value = compileTemplate(auth.value)
      return (key) => ({
        headers: [auth.name, headerText(auth.name, fillText(value, { ...variables, key }))],
        query: [],
      })
    }
    case 'query': {
      const value = compileTemplate(auth.value)
      return (key) => ({ headers: [], query: [[auth.name, fillText(value, { ...variables, key })]] })
    }
  }
}
