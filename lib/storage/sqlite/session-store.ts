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

const Found = v.optional(v.string());

export function createSessionStore(database: StoreDatabase): SessionStore {
  const bind = database.prepare(BIND);
  const findThread = database.prepare(FIND_THREAD).pluck();
  const findKey = database.prepare(FIND_KEY).pluck();
  const remove = database.prepare(REMOVE);

  return {
    bind: (session, threadId) => database.write(() => void bind.run({ ...session, threadId })),
    findThread: (session) => database.read(() => v.parse(Found, findThread.get(session))),
    findKey: (thread) => database.read(() => v.parse(Found, findKey.get(thread))),
    remove: (session) => database.write(() => void remove.run(session)),
  };
}
