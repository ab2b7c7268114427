import * as v from 'valibot';
import type { SessionStore } from '../../sessions/session-store-port.ts';
import type { StoreDatabase } from './database.ts';

const OF_SESSION = 'scope = @scope AND provider = @provider AND key = @key';

const BIND = `
  INSERT INTO session (scope, provider, key, thread) VALUES (@scope, @provider, @key, @threadId)
  ON CONFLICT (scope, provider, key) DO UPDATE SET thread = excluded.thread`;
const FIND_THREAD = `SELECT thread FROM session WHERE ${OF_SESSION}`;
const FIND_KEY = `
  SELECT key FROM session WHERE provider = @provider AND thread = @threadId AND scope = @scope`;
const REMOVE = `DELETE FROM session WHERE ${OF_SESSION}`;

const ThreadRow = v.optional(v.object({ thread: v.string() }));
const KeyRow = v.optional(v.object({ key: v.string() }));

export function createSessionStore(
  database: Pick<StoreDatabase, 'prepare' | 'read' | 'write'>,
): SessionStore {
  const bind = database.prepare(BIND);
  const findThread = database.prepare(FIND_THREAD);
  const findKey = database.prepare(FIND_KEY);
  const remove = database.prepare(REMOVE);

  return {
    bind: (session, threadId) =>
      database.write(() => {
        bind.run({ ...session, threadId });
      }),
    findThread: (session) =>
      database.read(() => v.parse(ThreadRow, findThread.get(session))?.thread),
    findKey: (thread) => database.read(() => v.parse(KeyRow, findKey.get(thread))?.key),
    remove: (session) =>
      database.write(() => {
        remove.run(session);
      }),
  };
}
