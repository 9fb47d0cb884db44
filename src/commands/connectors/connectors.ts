import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import type { JsonObject } from '../../core/json.ts'
import { RESOURCES, type Resource } from '../../core/resources/registry.ts'
import { type CommandGroup, examples } from '../command-tree.ts'
import { addScopedFlags } from '../flags.ts'
import { onePage, printDocument, printList } from '../print.ts'
import { addConnectorsCheck } from './check.ts'
import { addConnectorsCreate } from './create.ts'

export const CONNECTORS_COMMANDS: CommandGroup = {
  description: 'how crm speaks to other CRMs',
  commands: {
    list: addConnectorsList,
    show: addConnectorsShow,
    check: addConnectorsCheck,
    create: addConnectorsCreate,
  },
}

function addConnectorsList(connectors: CommandUnknownOpts, act: Act): void {
  const list = connectors
    .command('list')
    .description('list the connectors that crm ships')
    .addHelpText('after', examples('crm connectors list', 'crm auth login --connector pipedrive'))
    .action(act(listConnectors))
  addScopedFlags(list, ['fields', 'where'])
}

async function listConnectors(ctx: Context): Promise<undefined> {
  const { shippedConnector, shippedNames } = await import('../../connector/shipped.ts')
  const documents = await Promise.all(shippedNames().map(shippedConnector))
  const rows = documents.map(({ name, title, docs, resources, described = {} }): JsonObject => {
    const known = Object.keys(resources).map((resource) => RESOURCES[resource as Resource].plural)
    const plurals = [...known, ...Object.keys(described)]
    return { name, title: title ?? name, resources: plurals, docs: docs ?? null }
  })
  await printList(ctx, {
    pages: onePage(rows),
    columns: ['name', 'title', 'resources'],
    plural: 'connectors',
  })
}

function addConnectorsShow(connectors: CommandUnknownOpts, act: Act): void {
  connectors
    .command('show <name|file>')
    .description('print a connector; a copy of it can be changed and used with --connector FILE')
    .addHelpText('after', examples('crm connectors show pipedrive', 'crm connectors show attio > mine.yaml'))
    .action(act(showConnector))
}

async function showConnector(ctx: Context, word: string): Promise<undefined> {
  const { connectorDocument, connectorPath, connectorText } = await import('../../api/connectors/open-connector.ts')
  const name = connectorPath(word, ctx.folder)
  const isJson = ctx.flags.output === 'json' || ctx.flags.output === 'jsonl'
  await printDocument(ctx, isJson ? JSON.stringify(await connectorDocument({ name })) : await connectorText(name))
}
