import { Argument, type CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../context.ts'
import { writeText } from '../core/streams.ts'
import { examples } from './command-tree.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const

type Shell = (typeof SHELLS)[number]

const HOW = `To complete crm's words with the Tab key, from now on in every new shell:
  bash  echo 'eval "$(crm completion bash)"' >> ~/.bashrc
  zsh   echo 'eval "$(crm completion zsh)"' >> ~/.zshrc     (behind its compinit)
  fish  mkdir -p ~/.config/fish/completions && crm completion fish > ~/.config/fish/completions/crm.fish
`

export function addCompletion(program: CommandUnknownOpts, act: Act): void {
  program
    .command('completion')
    .description('print the script that completes words in a shell; without one, how to install each')
    .addArgument(new Argument('[shell]').choices(SHELLS))
    .addHelpText('after', examples('crm completion', 'eval "$(crm completion bash)"'))
    .action(act(printScript))
}

async function printScript(ctx: Pick<Context, 'io'>, shell: Shell | undefined): Promise<undefined> {
  const text = shell ? (await import('../completion/scripts.ts')).SCRIPTS[shell] : HOW
  await writeText(ctx.io.stdout, text)
}
