import { CrmError } from '../../../core/errors.ts'
import { shellWord } from '../../../core/shell-words.ts'
import type { Connection } from './connection.ts'
import { openDatabase } from './open-database.ts'

type SchemaObject = readonly [type: string, name: string, sql: string]

/**
 * Throws for a table, index, trigger or view that crm has not made so: a trigger would act on every write of the service.
 * `db` has the present schema. `file` is what the person named; undefined for stdin.
 */
export function requireOwnSchema(db: Connection, file: string | undefined): void {
  const found = new Map(objectsOf(db).map((object) => [`${object[0]} ${object[1]}`, object]))
  const made = openDatabase(':memory:', true)
  try {
    for (const [type, name, sql] of objectsOf(made)) {
      const place = `${type} ${name}`
      const [, , foundSql] = found.get(place) ?? []
      if (foundSql !== sql) {
        const fault = foundSql === undefined ? `lacks the ${place}` : `has another ${place} than crm makes`
        throw foreign(db, fault, 'name another backup')
      }
      found.delete(place)
    }
  } finally {
    made.close()
  }
  for (const [type, name] of found.values()) {
    const drop = `DROP ${type.toUpperCase()} "${name.replaceAll('"', '""')}"`
    const hint = file === undefined ? 'name another backup' : `sqlite3 ${shellWord(file)} ${shellWord(drop)}`
    throw foreign(db, `has the ${type} ${JSON.stringify(name)}, which crm does not make`, hint)
  }
}

function foreign(db: Connection, fault: string, hint: string): CrmError {
  return new CrmError('machine', `database ${db.file} ${fault}`, { hint })
}

/** Without those of SQLite itself, such as what ANALYZE writes. SQLite keeps the text of a statement, with its white space. */
function objectsOf(db: Connection): readonly SchemaObject[] {
  const rows = db.all<SchemaObject>(
    `SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY type DESC, name`,
  )
  return rows.map(([type, name, sql]) => [type, name, sql.replaceAll(/\s+/g, ' ').replaceAll(/ ?([(),]) ?/g, '$1')])
}
