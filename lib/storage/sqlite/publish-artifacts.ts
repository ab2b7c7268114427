import { BridgeError } from '../../errors/bridge-error.ts';
import type { StoreDatabase } from './database.ts';

const PUBLISH = `
  UPDATE artifact SET state = 'published', owner = NULL
  WHERE id = @id AND state = 'pending' AND owner = @owner`;

/** Turns intents into artifacts inside the caller's transaction. Throws `artifact` when one is not an intent of this process. */
export function preparePublish(
  database: Pick<StoreDatabase, 'owner' | 'prepare'>,
): (ids: readonly string[]) => void {
  const publish = database.prepare(PUBLISH);
  const { owner } = database;
  return (ids) => {
    for (const id of ids) {
      if (publish.run({ id, owner }).changes !== 1) {
        throw new BridgeError('artifact', 'a publication to commit is not pending');
      }
    }
  };
}
