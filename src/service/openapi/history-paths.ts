import {
  HISTORY_PATH,
  RECORD_RESOURCES,
  RESOURCES,
  recordHistoryPath,
  typeName,
} from '../../core/resources/registry.ts'
import { PAGE_PARAMETERS } from '../page.ts'
import { HISTORY_FILTERS } from '../resources/history.ts'
import { exampleId } from './examples.ts'
import { page, problems, USUAL_PROBLEMS } from './operations.ts'
import { type DocumentPart, idParameter, refs } from './parameters.ts'

/** The history of all records, and of each. */
export const HISTORY_PATHS: Readonly<Record<string, DocumentPart>> = {
  [HISTORY_PATH]: {
    get: {
      operationId: 'listHistory',
      tags: ['history'],
      summary: 'List the changes of all records',
      description: 'Newest first, in pages. Filters are combined.',
      parameters: [...refs(...PAGE_PARAMETERS), ...refs(...HISTORY_FILTERS.map((name) => `history_${name}`))],
      responses: { 200: page('A page of changes.', 'Change'), ...problems(...USUAL_PROBLEMS) },
    },
  },
  ...Object.fromEntries(
    RECORD_RESOURCES.map((resource) => [
      recordHistoryPath(resource),
      {
        parameters: [idParameter(resource, exampleId(resource))],
        get: {
          operationId: `history${typeName(resource)}`,
          tags: ['history'],
          summary: `List the changes of a ${RESOURCES[resource].singular}`,
          description: `Newest first, in pages; also of a deleted ${RESOURCES[resource].singular}, without values.`,
          parameters: refs(...PAGE_PARAMETERS),
          responses: { 200: page('A page of changes.', 'Change'), ...problems(...USUAL_PROBLEMS, '404') },
        },
      },
    ]),
  ),
}
