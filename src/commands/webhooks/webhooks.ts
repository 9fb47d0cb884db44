import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act } from '../../context.ts'
import { addWebhooksCreate } from './create.ts'
import { addEvents } from './events.ts'
