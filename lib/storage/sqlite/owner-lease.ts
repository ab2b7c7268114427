import type { StoreDatabase } from './database.ts';

const REMOVE_OTHERS = 'DELETE FROM owner WHERE id <> ?';
const RENEW = `
  INSERT INTO owner (id, lease_until) VALUES (@owner, @untilSecs)
  ON CONFLICT (id) DO UPDATE SET lease_until = @untilSecs`;

/** True of a row of the table that belongs to no process, or to another one whose lease has ended. Binds `@owner`, `@nowSecs`. */
export function isAbandonedSql(table: 'job' | 'artifact' | 'ledger'): string {
  return `(${table}.owner IS NULL OR ${table}.owner <> @owner AND NOT EXISTS (
    SELECT 1 FROM owner WHERE owner.id = ${table}.owner AND lease_until > @nowSecs))`;
}

/** Shows other processes that this one lives. Times are Unix seconds. */
export function createOwnerLease(database: StoreDatabase) {
  const removeOthers = database.prepare(REMOVE_OTHERS);
  const renew = database.prepare(RENEW);
  const { owner } = database;

  return {
    /** For the process that has locked the database: every other owner has ended, whatever its lease says. */
    begin: (untilSecs: number): Promise<void> =>
      database.write(() => {
        removeOthers.run(owner);
        renew.run({ owner, untilSecs });
      }),

    renew: (untilSecs: number): Promise<void> =>
      database.write(() => void renew.run({ owner, untilSecs })),
  };
}
