import { shellWord } from '../src/core/shell-words.ts'
import { crm, crmOrThrow } from './crm-process.ts'

/** Prints each command and its real output; stops at the first failure. */
export async function runTour(env: NodeJS.ProcessEnv): Promise<void> {
  const step = async (...args: string[]) => {
    process.stdout.write(`\n$ crm ${args.map(shellWord).join(' ')}\n`)
    const { exit, stdout, stderr } = await crm(args, { env })
    process.stdout.write(stdout + stderr)
    if (exit !== 0) throw new Error(`crm ${args.join(' ')} exited with ${exit}`)
  }
  const idOf = async (...args: string[]) => (await crmOrThrow([...args, '-o', 'id'], { env })).trim()

  await step('auth', 'status')
  await step('contacts', 'list', '--limit', '5', '--fields', 'id,name,email,company')
  await step('contacts', 'create', '--set', 'name=Hedy Lamarr', '--set', 'email=hedy@hopping.example')
  const contact = await idOf('contacts', 'list', '--limit', '1')
  await step('contacts', 'update', contact, '--set', 'phone=+43 1 555 0120', '-o', 'json')
  await step('contacts', 'delete', contact, '--yes')
  await step('pipelines', 'stages', 'sales', '--fields', 'name,position,probability')
  await step('deals', 'list', '--filter', 'stage=Proposal', '--fields', 'id,name,amount,stage')
  await step(
    'deals',
    'create',
    '--set',
    'name=Radio patent',
    '--set',
    'stage=Lead',
    '--set',
    'amount:=30000',
    '-o',
    'json',
  )
  const deal = await idOf('deals', 'list', '--limit', '1')
  await step('notes', 'add', deal, '--body', 'Hedy calls back on Monday.', '--fields', 'id,deal_id,body')
  const events = ['--events', 'deal.*,contact.created', '--fields', 'id,url,events,status']
  await step('webhooks', 'create', '--url', 'http://127.0.0.1:4242/', ...events)
}
