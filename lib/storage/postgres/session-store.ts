import * as v from 'valibot';
import type { SessionId, SessionStore } from '../../sessions/session-store-port.ts';
import type { Postgres } from './connection.ts';

const OF_SESSION = 'scope = $1 AND provider = $2 AND key = $3';

const Threads = v.array(v.object({ thread: v.string() }));
const Keys = v.array(v.object({ key: v.string() }));

export function createSessionStore({ schema, read, write }: Postgres): SessionStore {
  const BIND = `
    INSERT INTO ${schema}.session (scope, provider, key, thread) VALUES ($1, $2, $3, $4)
    ON CONFLICT (scope, provider, key) DO UPDATE SET thread = excluded.thread`;
  const FIND_THREAD = `SELECT thread FROM ${schema}.session WHERE ${OF_SESSION}`;
  const FIND_KEY = `
    SELECT key FROM ${schema}.session WHERE scope = $1 AND provider = $2 AND thread = $3`;
  const REMOVE = `DELETE FROM ${schema}.session WHERE ${OF_SESSION}`;

  return {
    bind: (session, threadId) =>
      write(async ({ rows }) => void (await rows(BIND, [...toColumns(session), threadId]))),
    findThread: (session) =>
      read(async ({ rows }) => {
        return v.parse(Threads, await rows(FIND_THREAD, toColumns(session)))[0]?.thread;
      }),
    findKey: ({ scope, provider, threadId }) =>
      read(async ({ rows }) => {
        return v.parse(Keys, await rows(FIND_KEY, [scope, provider, threadId]))[0]?.key;
      }),
    remove: (session) => write(async ({ rows }) => void (await rows(REMOVE, toColumns(session)))),
  };
}

function toColumns({ scope, provider, key }: SessionId): readonly string[] {
  return [scope, provider, key];
}
