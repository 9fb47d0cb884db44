import { CrmError } from '../core/errors.ts'
import { isHeaderValue } from '../core/http-rules.ts'

/** The value, which may hold the key and is not shown. CrmError `invalid_input` for one that no header carries. */
export function headerText(name: string, value: string): string {
  if (isHeaderValue(value)) return value
  throw new CrmError(
    'invalid_input',
    `a value for the header ${name} of the connector has characters that it cannot carry`,
    {
      hint: 'expected ASCII characters without line ends; CRM_CONNECTOR_VARS=NAME=VALUE replaces the value of a variable',
    },
  )
}
