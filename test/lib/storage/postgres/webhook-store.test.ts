import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../../lib/platform/clock.ts';
import { createJobStore } from '../../../../lib/storage/postgres/jobs/job-store.ts';
import { createReplicaLease } from '../../../../lib/storage/postgres/replica-lease.ts';
import { createWebhookStore } from '../../../../lib/storage/postgres/webhook-store.ts';
import { describeWebhookStore } from '../../../contracts/webhook-store.ts';
import { newJob, succeeded, WIDE } from '../../../support/jobs.ts';
import { HAS_POSTGRES } from '../../../support/postgres.ts';
import { openPostgresForm } from '../../../support/postgres-form.ts';
import { newTestDatabase } from './test-database.ts';

const FIVE_MINUTES_MS = 300_000;
const CLAIM_MS = 20_000;

describe.runIf(HAS_POSTGRES)('PostgreSQL', () => {
  describeWebhookStore('PostgreSQL', async () => {
    const { stores, reopen, close } = await openPostgresForm();
    const opened = {
      store: stores.webhooks,
      jobs: stores.jobs,
      async reopen() {
        const { webhooks, jobs } = await reopen();
        opened.jobs = jobs;
        return webhooks;
      },
      close,
    };
    return opened;
  });
});

describe.runIf(HAS_POSTGRES)('createWebhookStore', () => {
  /** Opens the stores of two replicas whose clocks are ahead of the database and behind it. */
  async function openSkewed() {
    const { database, another } = await newTestDatabase();
    const skews = [
      [database, FIVE_MINUTES_MS],
      [await another(), -FIVE_MINUTES_MS],
    ] as const;
    const replicas = skews.map(async ([postgres, skewMs]) => {
      const clock = { nowMs: () => systemClock.nowMs() + skewMs };
      const options = { name: 'test', version: 1, leaseMs: 30_000, clock };
      const lease = createReplicaLease(postgres, options);
      await lease.renew();
      const webhooks = createWebhookStore(postgres, lease);
      return {
        jobs: createJobStore(postgres, lease),
        nowSecs: () => Math.floor(clock.nowMs() / 1000),
        /** Resolves with the number of claimed webhooks. */
        async claim() {
          const nowMs = clock.nowMs();
          const request = { host: 'hooks.test', nowMs, untilMs: nowMs + CLAIM_MS, limit: 10 };
          return (await webhooks.claim(request)).length;
        },
        /** Resolves with the time until the next webhook is due, in steps of ten seconds. */
        async dueIn() {
          const [queue] = await webhooks.listQueues();
          return Math.round(((queue?.dueMs ?? 0) - clock.nowMs()) / 10_000);
        },
      };
    });
    const [ahead, behind] = await Promise.all(replicas);
    if (!ahead || !behind) throw new Error('there are two replicas');
    return { ahead, behind };
  }

  it('sends a webhook from one of two replicas whose clocks are ten minutes apart, at once', async () => {
    const { ahead, behind } = await openSkewed();
    const webhook = { url: 'https://hooks.test/', events: ['succeeded' as const] };
    await ahead.jobs.submit(newJob({ webhook }), WIDE);
    const job = await ahead.jobs.claim(ahead.nowSecs());
    await ahead.jobs.settle(job?.sequence ?? 0, succeeded(ahead.nowSecs()));

    const claimed = [await behind.claim(), await ahead.claim(), await behind.claim()];

    expect(claimed).toEqual([1, 0, 0]);
    expect([await ahead.dueIn(), await behind.dueIn()]).toEqual([2, 2]);
  });
});
