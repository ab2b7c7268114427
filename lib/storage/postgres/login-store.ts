import * as v from 'valibot';
import type { Clock } from '../../platform/clock.ts';
import {
  HOLD_MS,
  type LoginStore,
  type RenewalClaim,
} from '../../providers/credentials/login-store-port.ts';
import type { Postgres, Queries } from './connection.ts';
import { createRepeatedWrites } from './repeated-writes.ts';
import { NOW_MS } from './replica-lease.ts';
import { type WakeUps, waitUntilFound } from './waiting.ts';

interface Deps {
  readonly postgres: Postgres;
  readonly clock: Clock;
  readonly wakeUps: WakeUps;
  readonly pollMs: number;
}

const PROVIDER = 'agent-responses';
const TOPIC = 'login';
// A renewal takes about a second, and calls wait for it.
const MAX_POLL_MS = 250;

const Rows = v.array(
  v.object({
    version: v.number(),
    sealed: v.instance(Uint8Array),
    renewal: v.picklist(['idle', 'running', 'lost', 'refused']),
  }),
);

/** Creates the store of the login that all replicas share. */
export function createLoginStore({ postgres, clock, wakeUps, pollMs }: Deps): LoginStore {
  const { schema, read, write, writeOrUndo } = postgres;
  const waiting = { clock, wakeUps, pollMs: Math.min(pollMs, MAX_POLL_MS) };
  const repeatUntilDone = createRepeatedWrites(clock);
  const OF_HOLDER = `provider = '${PROVIDER}' AND version = $1 AND holder = $2`;
  const FIND = `
    SELECT version, sealed, CASE
      WHEN is_refused THEN 'refused'
      WHEN holder IS NULL THEN 'idle'
      WHEN held_until > ${NOW_MS} THEN 'running'
      ELSE 'lost'
    END AS renewal
    FROM ${schema}.login WHERE provider = '${PROVIDER}'`;
  const INSERT = `
    INSERT INTO ${schema}.login (provider, version, sealed) VALUES ('${PROVIDER}', 1, $1)
    ON CONFLICT DO NOTHING RETURNING version`;
  const NEXT = `
    UPDATE ${schema}.login SET
      version = version + 1, sealed = $1, is_refused = false, holder = NULL, held_until = NULL`;
  const REPLACE = `${NEXT} WHERE provider = '${PROVIDER}' AND version = $2 RETURNING version`;
  const FINISH = `${NEXT} WHERE provider = '${PROVIDER}' AND version = $2 AND holder = $3`;
  // A holder whose time has ended stays, because its refresh token may have been used.
  const BEGIN = `
    UPDATE ${schema}.login SET holder = $2, held_until = ${NOW_MS} + ${HOLD_MS}
    WHERE provider = '${PROVIDER}' AND version = $1 AND NOT is_refused
      AND (holder IS NULL OR holder = $2)
    RETURNING version`;
  const GIVE_UP = `
    UPDATE ${schema}.login SET is_refused = $3, holder = NULL, held_until = NULL WHERE ${OF_HOLDER}`;
  const IS_RUNNING = `
    SELECT FROM ${schema}.login
    WHERE provider = '${PROVIDER}' AND version = $1 AND NOT is_refused AND held_until > ${NOW_MS}`;

  const change = (text: string, values: readonly unknown[]) =>
    write(async (queries: Queries) => {
      const changed = await queries.rows(text, values);
      await wakeUps.send(queries, TOPIC);
      return changed.length > 0;
    });

  const giveUp = ({ version, holder }: RenewalClaim, isRefused: boolean) =>
    change(GIVE_UP, [version, holder, isRefused]).then(() => {});

  return {
    find: () => read(async ({ rows }) => v.parse(Rows, await rows(FIND))[0]),
    replace: (version, sealed) =>
      version === 0 ? change(INSERT, [sealed]) : change(REPLACE, [sealed, version]),
    begin: (claim) =>
      writeOrUndo(
        async ({ rows }) => (await rows(BEGIN, [claim.version, claim.holder])).length > 0,
        (isBegun) => (isBegun ? giveUp(claim, false) : Promise.resolve()),
      ),
    finish: ({ version, holder }, sealed) =>
      repeatUntilDone(() => change(FINISH, [sealed, version, holder]).then(() => {})),
    giveUp: (claim, isRefused) => repeatUntilDone(() => giveUp(claim, isRefused)),
    async untilSettled(version, signal) {
      const look = async () =>
        (await read(({ rows }) => rows(IS_RUNNING, [version]))).length === 0 || undefined;
      await waitUntilFound(waiting, TOPIC, look, signal);
    },
  };
}
