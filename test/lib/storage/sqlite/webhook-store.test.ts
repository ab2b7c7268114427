import { describe, expect, test } from 'vitest';
import { createIds } from '../../../../lib/platform/ids.ts';
import { IN_MEMORY } from '../../../../lib/storage/sqlite/connection.ts';
import { openStateDatabase } from '../../../../lib/storage/sqlite/database.ts';
import { findStateProblems } from '../../../../lib/storage/sqlite/inspect-state.ts';
import { createJobStore } from '../../../../lib/storage/sqlite/jobs/job-store.ts';
import { CLAIM_WEBHOOKS, LIST_QUEUES } from '../../../../lib/storage/sqlite/webhook-store.ts';
import { describeWebhookStore } from '../../../contracts/webhook-store.ts';
import { newJob, WIDE } from '../../../support/jobs.ts';
import { DISK_FORMS } from '../../../support/sqlite-forms.ts';

const ids = createIds(() => 0);

for (const [label, open] of DISK_FORMS) {
  describeWebhookStore(label, async () => {
    const { stores, reopen, close } = await open();
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
}

describe('createWebhookStore', () => {
  test.each([
    ['lists queues', LIST_QUEUES, {}, ['(host>?)', '(host=? AND due>?)']],
    [
      'claims',
      CLAIM_WEBHOOKS,
      { host: 'hooks.test', nowMs: 1, untilMs: 2, limit: 3 },
      ['(host=? AND due<?)'],
    ],
  ])('the statement that %s searches only the index of due webhooks', async (...row) => {
    const [, sql, given, searches] = row;
    const database = openStateDatabase({ file: IN_MEMORY, ids });

    const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(given);

    const steps = plan.map((step) => (step as { detail: string }).detail);
    for (const search of searches) {
      expect(steps).toContain(`SEARCH webhook USING COVERING INDEX webhook_due ${search}`);
    }
    expect(steps.filter((step) => step.startsWith('SCAN webhook'))).toEqual([]);
    await database.close();
  });

  test('a state with a webhook is valid', async () => {
    const database = openStateDatabase({ file: IN_MEMORY, ids });
    const webhook = { url: 'https://hooks.test/', events: ['failed' as const] };
    await createJobStore(database).submit(newJob({ webhook }), WIDE);

    expect(findStateProblems(database)).toEqual([]);
    await database.close();
  });
});
