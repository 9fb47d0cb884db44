import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act } from '../../context.ts'
import { addAuthLogin } from './login.ts'
import { addAuthLogout } from './logout.ts'
import { addAuthStatus } from './status.ts'
import { addAuthSwitch } from './switch.ts'
import { addAuthToken } from './token.ts'

export function addAuth(program: CommandUnknownOpts, act: Act): void {
  const auth = program.command('auth').description('keys, and the profiles they belong to')
  addAuthLogin(auth, act)
  addAuthLogout(auth, act)
  addAuthStatus(auth, act)
  addAuthSwitch(auth, act)
  addAuthToken(auth, act)
}
