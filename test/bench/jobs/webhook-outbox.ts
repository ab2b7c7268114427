import { join } from 'node:path';
import { createIds } from '../../../lib/platform/ids.ts';
import { openStateDatabase, type StateDatabase } from '../../../lib/storage/sqlite/database.ts';
import { createWebhookStore } from '../../../lib/storage/sqlite/webhook-store.ts';
import type { WebhookStore } from '../../../lib/webhooks/webhook-store-port.ts';
import type { Bench } from '../measure/bench.ts';
import { percentile } from '../measure/statistics.ts';

const DELIVERED = 100_000;
const DUE = 5000;
const HOSTS = 8;
// The number of deliveries that are sent at a time.
const AT_A_TIME = 32;

const FILL_JOBS = `
  WITH RECURSIVE nth (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM nth WHERE n < @jobs)
  INSERT INTO job (
    id, scope, status, created, updated, started, completed, operation, provider, outputs, bytes,
    reserved, prompt
  )
  SELECT format('01890000-0000-7000-8000-%012x', n), 'anonymous', 'succeeded', n, n, n, n, 'generate',
    'sandbox', 1, 600, 0, 'a fox'
  FROM nth`;
const FILL_WEBHOOKS = `
  INSERT INTO webhook (seq, url, host, events, state, attempts, last_status)
  SELECT seq, format('https://%d.test/ends', seq % @hosts), format('%d.test', seq % @hosts),
    '["succeeded"]', 'delivered', 1, 204
  FROM job`;
const MAKE_DUE = `
  UPDATE webhook SET state = 'pending', due = seq WHERE seq % @every = 0`;

/** The throughput of the store for deliveries: claims, and an outcome for each. */
export const webhookOutbox: Bench = {
  name: 'webhook-outbox',
  async run({ rounds, folder }) {
    const file = join(folder, 'bridge.sqlite');
    const database = openStateDatabase({ file, ids: createIds(() => 0) });
    const makeDue = await fill(database);
    const store = createWebhookStore(database);
    const perSecond: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await makeDue();
      const startMs = performance.now();
      await deliverAll(store);
      perSecond.push((DUE * 1000) / (performance.now() - startMs));
    }
    await database.close();
    return [
      {
        what: `webhooks, by the store: ${DUE} due ones to ${HOSTS} hosts beside ${DELIVERED} delivered ones, ${AT_A_TIME} at a time`,
        ours: `${Math.round(percentile(perSecond, 0.5))} deliveries/s`,
        budget: '> 1000 deliveries/s',
      },
    ];
  },
};

async function fill(database: StateDatabase): Promise<() => Promise<void>> {
  const fillJobs = database.prepare(FILL_JOBS);
  const fillWebhooks = database.prepare(FILL_WEBHOOKS);
  const makeDue = database.prepare(MAKE_DUE);
  await database.write(() => {
    fillJobs.run({ jobs: DELIVERED + DUE });
    fillWebhooks.run({ hosts: HOSTS });
  });
  return () =>
    database.write(() => void makeDue.run({ every: Math.floor((DELIVERED + DUE) / DUE) }));
}

/** Claims and completes deliveries as the sender does, with a receiver that takes no time. */
async function deliverAll(store: WebhookStore): Promise<void> {
  const nowMs = DELIVERED + DUE;
  for (;;) {
    const queues = await store.listQueues();
    if (queues.length === 0) return;
    await Promise.all(queues.map(({ host }) => deliver(store, host, nowMs)));
  }
}

async function deliver(store: WebhookStore, host: string, nowMs: number): Promise<void> {
  const limit = AT_A_TIME / HOSTS;
  const due = await store.claim({ host, nowMs, untilMs: nowMs + 20_000, limit });
  const outcome = { state: 'delivered', lastStatus: 204 } as const;
  await Promise.all(due.map(({ sequence }) => store.settle(sequence, outcome)));
}
