import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act } from '../../context.ts'
import { addConfigGet } from './get.ts'
import { addConfigList } from './list.ts'
import { addConfigPath } from './path.ts'
import { addConfigSet } from './set.ts'

export function addConfig(program: CommandUnknownOpts, act: Act): void {
  const config = program.command('config').description('settings of a profile')
  addConfigGet(config, act)
  addConfigSet(config, act)
  addConfigList(config, act)
  addConfigPath(config, act)
}
