import type { StoreDatabase } from './database.ts';

const REMOVE_OTHERS = 'DELETE FROM owner WHERE id <> ?';
const RENEW = `
  INSERT INTO owner (id, lease_until) VALUES (@owner, @untilSecs)
  ON CONFLICT (id) DO UPDATE SET lease_until = @untilSecs`;

/**
 * Returns the condition for an abandoned row: it has no owner, or its owner is another process without a valid lease. Binds
 * `@owner`.
 */
export function isAbandonedSql(table: 'job' | 'artifact' | 'ledger'): string {
  return `(${table}.owner IS NULL OR ${table}.owner <> @owner AND NOT EXISTS (
    SELECT 1 FROM owner WHERE owner.id = ${table}.owner AND lease_until > unixepoch()))`;
}

export type OwnerLease = ReturnType<typeof createOwnerLease>;

/** Maintains the lease that shows other processes that this process is running. Times are Unix seconds. */
export function createOwnerLease(database: StoreDatabase) {
  const removeOthers = database.prepare(REMOVE_OTHERS);
  const renew = database.prepare(RENEW);
  const { owner } = database;

  return {
    /**
     * Removes all other owners. Called by the process that has locked the state directory, because every other owner has ended
     * by this time.
     */
    begin: (untilSecs: number): Promise<void> =>
      database.write(() => {
        removeOthers.run(owner);
        renew.run({ owner, untilSecs });
      }),

    renew: (untilSecs: number): Promise<void> =>
      database.write(() => void renew.run({ owner, untilSecs })),
  };
}
