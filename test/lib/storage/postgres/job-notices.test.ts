import { describe, expect, onTestFinished, test } from 'vitest';
import type { JobNotice } from '../../../../lib/jobs/job-notices-port.ts';
import { systemClock } from '../../../../lib/platform/clock.ts';
import { createArtifactStore } from '../../../../lib/storage/postgres/artifact-store.ts';
import type { Database } from '../../../../lib/storage/postgres/database.ts';
import { createJobProgress } from '../../../../lib/storage/postgres/job-progress.ts';
import { createJobStore } from '../../../../lib/storage/postgres/jobs/job-store.ts';
import { createQueueStore } from '../../../../lib/storage/postgres/jobs/queue-store.ts';
import { createNotifications } from '../../../../lib/storage/postgres/notifications.ts';
import { createReplicaLease } from '../../../../lib/storage/postgres/replica-lease.ts';
import { describeJobNotices, type NoticePorts } from '../../../contracts/job-notices.ts';
import { CANCELLATION, CREATED_SECS, newJob, WIDE } from '../../../support/jobs.ts';
import { HAS_POSTGRES } from '../../../support/postgres.ts';
import { newTestDatabase } from './test-database.ts';

type Contracted = Awaited<ReturnType<Parameters<typeof describeJobNotices>[1]>>;

const NEVER_MS = 3_600_000;

/** Opens the ports of one replica, which listens. */
async function openReplica(
  { url, schema }: { readonly url: string; readonly schema: string },
  database: Database,
): Promise<NoticePorts & Pick<Contracted, 'artifacts'>> {
  const lease = createReplicaLease(database, {
    ...{ name: 'test', version: 1, leaseMs: NEVER_MS, clock: systemClock },
  });
  await lease.renew();
  const { owner } = database;
  const notifications = createNotifications({
    ...{ url, schema, owner, wakeups: 'notify', pollMs: NEVER_MS, clock: systemClock },
    onFailure: () => {},
  });
  onTestFinished(notifications.close);
  const listening = Promise.withResolvers<void>();
  notifications.notices.subscribe(({ type }) => {
    if (type === 'missed') listening.resolve();
  });
  await listening.promise;
  return {
    jobs: createJobStore(database, lease),
    artifacts: createArtifactStore(database, lease),
    queue: createQueueStore(database),
    notices: notifications.notices,
    progress: createJobProgress(database, { notifications, clock: systemClock }),
  };
}

async function openReplicas() {
  const { place, database, another } = await newTestDatabase();
  const ports = await openReplica(place, database);
  const reader = await openReplica(place, await another());
  return { ports, reader, artifacts: ports.artifacts, database };
}

describe.runIf(HAS_POSTGRES)('PostgreSQL', () => {
  describeJobNotices('the same replica', async () => {
    const { ports, artifacts } = await openReplicas();
    return { ports, reader: ports, artifacts, close: async () => {} };
  });

  describeJobNotices('another replica', async () => ({
    ...(await openReplicas()),
    close: async () => {},
  }));

  test('the request to cancel a job reaches the replica that runs the job', async () => {
    const { ports, reader } = await openReplicas();
    const { id, scope } = (await ports.jobs.submit(newJob(), WIDE)).job;
    await ports.jobs.claim(CREATED_SECS);
    const cancelled = Promise.withResolvers<JobNotice>();
    ports.notices.subscribe((notice) => {
      if (notice.type === 'cancelling') cancelled.resolve(notice);
    });

    const request = { atSecs: CREATED_SECS, error: CANCELLATION, inFlight: 'finish' } as const;
    await reader.jobs.cancel(scope, id, request);

    expect(await cancelled.promise).toEqual({ type: 'cancelling', id });
    expect(await ports.jobs.listCancellations()).toMatchObject([{ id, inFlight: 'finish' }]);
  });

  test('the progress of a replica that is gone is removed with the next ended job', async () => {
    const { ports, reader, database } = await openReplicas();
    const report = {
      progress: { stage: 'generating', partial_images: 0, finished_images: 0 },
    } as const;
    const jobs = ['gone', 'ended'].map((id, sequence) => ({ id, scope: 'one', sequence }));
    const [gone, ended] = jobs as [(typeof jobs)[0], (typeof jobs)[0]];
    ports.progress.begin(gone, report.progress);
    ports.progress.report(gone, report);
    reader.progress.begin(ended, report.progress);
    reader.progress.report(ended, report);
    const count = async () =>
      (await database.read(({ rows }) => rows(`SELECT FROM ${database.schema}.job_progress`)))
        .length;
    await expect.poll(count).toBe(2);

    await database.write(({ rows }) =>
      rows(`DELETE FROM ${database.schema}.replica WHERE id = $1`, [database.owner]),
    );
    reader.progress.remove(ended);

    await expect.poll(count).toBe(0);
  });
});
