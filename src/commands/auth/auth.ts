import type { Noun } from '../command-tree.ts'
import { addAuthLogin } from './login.ts'
import { addAuthLogout } from './logout.ts'
import { addAuthStatus } from './status.ts'
import { addAuthSwitch } from './switch.ts'
import { addAuthToken } from './token.ts'

export const AUTH: Noun = {
  description: 'keys, and the profiles they belong to',
  commands: {
    login: addAuthLogin,
    logout: addAuthLogout,
    status: addAuthStatus,
    switch: addAuthSwitch,
    token: addAuthToken,
  },
}
