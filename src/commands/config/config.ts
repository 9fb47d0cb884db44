import type { Noun } from '../command-tree.ts'
import { addConfigGet } from './get.ts'
import { addConfigList } from './list.ts'
import { addConfigPath } from './path.ts'
import { addConfigSet } from './set.ts'

export const CONFIG: Noun = {
  description: 'settings of a profile',
  commands: {
    get: addConfigGet,
    set: addConfigSet,
    list: addConfigList,
    path: addConfigPath,
  },
}
