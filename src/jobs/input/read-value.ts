import type { JsonValue } from '../../core/json.ts'
import type { InputRow } from './row.ts'

/** One value of an input that names its members, and where it stands; or why it cannot be read. */
export type ReadValue = Pick<InputRow, 'line' | 'offset' | 'length'> &
  ({ readonly value: JsonValue } | { readonly fault: string })
