import { connectTo } from '../../../harness/database.ts'

const HOLD = 4711

export interface HeldWrites {
  isHeld(): Promise<boolean>
  /** Whether another transaction waits for it. */
  isAwaited(): Promise<boolean>
  release(): Promise<unknown>
}

/** The writer of a contact named `held` stays in its transaction, after it has its id, until it is released. */
export async function holdWrites(address: string): Promise<HeldWrites> {
  const other = await connectTo(address)
  await other.query(`
    CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF new.text LIKE '%held%' THEN PERFORM pg_advisory_xact_lock(${HOLD}); END IF;
      RETURN new;
    END $$;
    CREATE TRIGGER hold BEFORE INSERT ON contacts FOR EACH ROW EXECUTE FUNCTION hold();
    SELECT pg_advisory_lock(${HOLD})`)
  const waiting = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = ${HOLD} AND NOT granted`
  const locked = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
  return {
    isHeld: async () => (await other.query(waiting)).rowCount === 1,
    isAwaited: async () => (await other.query(locked)).rowCount === 2,
    release: () => other.query(`SELECT pg_advisory_unlock(${HOLD})`),
  }
}
