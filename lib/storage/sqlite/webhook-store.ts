import * as v from 'valibot';
import type { WebhookStore } from '../../webhooks/webhook-store-port.ts';
import { DueRows, QueueRows } from '../webhook-rows.ts';
import type { StoreDatabase } from './database.ts';

// A skip scan: one index lookup for each host. This text and `CLAIM_WEBHOOKS` are exported for tests of their query plans.
export const LIST_QUEUES = `
  WITH RECURSIVE queue (host) AS (
    SELECT min(webhook.host) FROM webhook WHERE due IS NOT NULL
    UNION ALL
    SELECT (SELECT min(webhook.host) FROM webhook WHERE due IS NOT NULL AND webhook.host > queue.host)
    FROM queue WHERE queue.host IS NOT NULL
  )
  SELECT
    host,
    (SELECT min(due) FROM webhook WHERE due IS NOT NULL AND webhook.host = queue.host) AS dueMs
  FROM queue WHERE host IS NOT NULL`;
const COUNT_PENDING = 'SELECT count(*) FROM webhook WHERE due IS NOT NULL';
export const CLAIM_WEBHOOKS = `
  UPDATE webhook SET due = @untilMs
  WHERE seq IN (
    SELECT seq FROM webhook WHERE host = +@host AND due <= +@nowMs ORDER BY due LIMIT +@limit)
  RETURNING
    seq AS sequence, url, attempts,
    (SELECT id FROM job WHERE job.seq = webhook.seq) AS jobId,
    (SELECT scope FROM job WHERE job.seq = webhook.seq) AS scope`;
const SETTLE = `
  UPDATE webhook SET
    state = @state, due = @dueMs, attempts = attempts + 1, last_status = @lastStatus
  WHERE seq = @sequence AND state = 'pending'`;
const PUT_BACK = `UPDATE webhook SET due = @dueMs WHERE seq = @sequence AND state = 'pending'`;

export function createWebhookStore(database: StoreDatabase): WebhookStore {
  const listQueues = database.prepare(LIST_QUEUES);
  const countPending = database.prepare(COUNT_PENDING).pluck();
  const claim = database.prepare(CLAIM_WEBHOOKS);
  const settle = database.prepare(SETTLE);
  const putBack = database.prepare(PUT_BACK);

  return {
    listQueues: () => database.read(() => v.parse(QueueRows, listQueues.all())),
    countPending: () => database.read(() => v.parse(v.number(), countPending.get())),
    claim: (request) => database.write(() => v.parse(DueRows, claim.all(request))),
    settle: (sequence, { lastStatus = null, state, ...more }) =>
      database.write(() => {
        const dueMs = 'dueMs' in more ? more.dueMs : null;
        settle.run({ sequence, state, dueMs, lastStatus });
      }),
    putBack: (sequence, dueMs) => database.write(() => void putBack.run({ sequence, dueMs })),
  };
}
