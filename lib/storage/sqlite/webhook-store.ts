import * as v from 'valibot';
import type { WebhookStore } from '../../webhooks/webhook-store-port.ts';
import type { StoreDatabase } from './database.ts';

const NEXT_DUE = 'SELECT min(due) FROM webhook WHERE due IS NOT NULL';
/** Exported for its query plan. */
export const CLAIM_WEBHOOKS = `
  UPDATE webhook SET due = @untilMs
  WHERE seq IN (SELECT seq FROM webhook WHERE due <= @nowMs ORDER BY due LIMIT @limit)
  RETURNING
    seq AS sequence, url, attempts,
    (SELECT id FROM job WHERE job.seq = webhook.seq) AS jobId,
    (SELECT scope FROM job WHERE job.seq = webhook.seq) AS scope`;
const SETTLE = `
  UPDATE webhook SET
    state = @state, due = @dueMs, attempts = attempts + 1, last_status = @lastStatus
  WHERE seq = @sequence AND state = 'pending'`;
const PUT_BACK = `UPDATE webhook SET due = @dueMs WHERE seq = @sequence AND state = 'pending'`;

const DueMs = v.nullable(v.number());
const DueRows = v.array(
  v.object({
    sequence: v.number(),
    jobId: v.string(),
    scope: v.string(),
    url: v.string(),
    attempts: v.number(),
  }),
);

export function createWebhookStore(database: StoreDatabase): WebhookStore {
  const nextDue = database.prepare(NEXT_DUE).pluck();
  const claim = database.prepare(CLAIM_WEBHOOKS);
  const settle = database.prepare(SETTLE);
  const putBack = database.prepare(PUT_BACK);

  return {
    nextDueMs: () => database.read(() => v.parse(DueMs, nextDue.get()) ?? undefined),
    claim: (request) => database.write(() => v.parse(DueRows, claim.all(request))),
    settle: (sequence, { lastStatus = null, state, ...more }) =>
      database.write(() => {
        const dueMs = 'dueMs' in more ? more.dueMs : null;
        settle.run({ sequence, state, dueMs, lastStatus });
      }),
    putBack: (sequence, dueMs) => database.write(() => void putBack.run({ sequence, dueMs })),
  };
}
