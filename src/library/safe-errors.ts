import { CrmError, type FieldError } from '../core/errors.ts'
import { safeText } from '../output/safe-text.ts'

/** Awaits a call of the library. Its errors hold texts of servers, which must not move a cursor or hide a part of a log line. */
export async function guarded<Value>(call: () => Promise<Value>): Promise<Value> {
  try {
    return await call()
  } catch (error) {
    throw withSafeText(error)
  }
}

/** The same for what is iterated. */
export async function* guardedItems<Item>(items: () => AsyncIterable<Item>): AsyncGenerator<Item, void, undefined> {
  try {
    yield* items()
  } catch (error) {
    throw withSafeText(error)
  }
}

function withSafeText(error: unknown): unknown {
  if (!(error instanceof CrmError)) return error
  const { code, details } = error
  const message = safeText(error.message)
  const fields = details.fields?.map(safeField)
  const isSafe = message === error.message && JSON.stringify(fields) === JSON.stringify(details.fields)
  return isSafe ? error : new CrmError(code, message, { ...details, ...(fields && { fields }) })
}

function safeField(field: FieldError): FieldError {
  const texts = Object.entries(field).map(([name, text]) => [name, safeText(text)])
  return Object.fromEntries(texts) as unknown as FieldError
}
