import * as v from 'valibot';
import type { WebhookStore } from '../../webhooks/webhook-store-port.ts';
import { DueRows, QueueRows } from '../webhook-rows.ts';
import type { Postgres } from './connection.ts';
import type { ReplicaLease } from './replica-lease.ts';

const Counts = v.tuple([v.object({ count: v.number() })]);

/**
 * Creates the store of webhooks. The table contains times of the database, so that a replica whose clock is fast does not send a
 * webhook that another replica has claimed.
 */
export function createWebhookStore(
  { schema, read, write }: Postgres,
  { clockOffsetMs }: Pick<ReplicaLease, 'clockOffsetMs'>,
): WebhookStore {
  // A skip scan: one index lookup for each host.
  const LIST_QUEUES = `
    WITH RECURSIVE queue (host) AS (
      SELECT min(host) FROM ${schema}.webhook WHERE due IS NOT NULL
      UNION ALL
      SELECT (SELECT min(webhook.host) FROM ${schema}.webhook
        WHERE due IS NOT NULL AND webhook.host > queue.host)
      FROM queue WHERE queue.host IS NOT NULL
    )
    SELECT host, first.due AS "dueMs"
    FROM queue CROSS JOIN LATERAL (
      SELECT due FROM ${schema}.webhook WHERE webhook.host = queue.host AND due IS NOT NULL
      ORDER BY due LIMIT 1
    ) AS first
    WHERE host IS NOT NULL`;
  const COUNT_PENDING = `SELECT count(*) AS count FROM ${schema}.webhook WHERE due IS NOT NULL`;
  // Webhooks that another replica claims at the same time are skipped.
  const CLAIM = `
    WITH first AS (
      SELECT seq, due FROM ${schema}.webhook WHERE host = $1 AND due <= $2
      ORDER BY due LIMIT $4 FOR NO KEY UPDATE SKIP LOCKED
    ), claimed AS (
      UPDATE ${schema}.webhook SET due = $3 FROM first WHERE webhook.seq = first.seq
      RETURNING webhook.seq, url, attempts, first.due
    )
    SELECT claimed.seq AS sequence, job.id AS "jobId", scope, url, attempts
    FROM claimed JOIN ${schema}.job USING (seq) ORDER BY due, sequence`;
  const SETTLE = `
    UPDATE ${schema}.webhook SET
      state = $2, due = $3, attempts = attempts + 1, last_status = $4
    WHERE seq = $1 AND state = 'pending'`;
  const PUT_BACK = `UPDATE ${schema}.webhook SET due = $2 WHERE seq = $1 AND state = 'pending'`;

  return {
    listQueues: () =>
      read(async ({ rows }) => {
        const queues = v.parse(QueueRows, await rows(LIST_QUEUES));
        return queues.map(({ host, dueMs }) => ({ host, dueMs: dueMs - clockOffsetMs() }));
      }),
    countPending: () =>
      read(async ({ rows }) => v.parse(Counts, await rows(COUNT_PENDING))[0].count),
    claim: ({ host, nowMs, untilMs, limit }) =>
      write(async ({ rows }) => {
        const offsetMs = clockOffsetMs();
        const given = [host, nowMs + offsetMs, untilMs + offsetMs, limit];
        return v.parse(DueRows, await rows(CLAIM, given));
      }),
    settle: (sequence, { lastStatus, state, ...more }) =>
      write(async ({ rows }) => {
        const dueMs = 'dueMs' in more ? more.dueMs + clockOffsetMs() : undefined;
        await rows(SETTLE, [sequence, state, dueMs, lastStatus]);
      }),
    putBack: (sequence, dueMs) =>
      write(async ({ rows }) => void (await rows(PUT_BACK, [sequence, dueMs + clockOffsetMs()]))),
  };
}
