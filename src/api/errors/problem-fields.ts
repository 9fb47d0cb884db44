import type { FieldError } from '../../core/errors.ts'
import { isJsonObject, type JsonObject } from '../../core/json.ts'
import { oneLine } from './one-line.ts'

/** One fault in an error answer. */
export interface Fault extends Partial<Omit<FieldError, 'detail'>> {
  /** The path of the member, such as `lines.0.amount`; empty when the answer names none. */
  readonly place: string
  readonly message: string
}

/** What a fault states in the members of RFC 9457 and of JSON:API: where it is, and its code. */
export function statedIn(fault: JsonObject): Pick<Fault, 'pointer' | 'parameter' | 'code'> {
  const { pointer, parameter } = isJsonObject(fault.source) ? fault.source : fault
  const { code } = fault
  return {
    ...(typeof pointer === 'string' && /^#?\//.test(pointer) && { pointer: pointer.replace(/^#/, '') }),
    ...(typeof parameter === 'string' && parameter !== '' && { parameter }),
    ...(typeof code === 'string' && code !== '' && { code }),
  }
}

/** The faults that name a member or a parameter. */
export function fieldErrors(faults: readonly Fault[]): readonly FieldError[] {
  return faults.flatMap(({ place, message, code, pointer, parameter }) => {
    if (place === '') return []
    return {
      ...(parameter === undefined
        ? { pointer: oneLine(pointer ?? pointerTo(place)) }
        : { parameter: oneLine(parameter) }),
      ...(code !== undefined && { code: oneLine(code) }),
      detail: oneLine(message),
    }
  })
}

/** RFC 6901. Rails and PHP write `lines[0][amount]`. */
function pointerTo(place: string): string {
  const steps = place.replace(/\[([^\]]*)\]/g, '.$1').split('.')
  return steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}
