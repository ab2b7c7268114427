import { expect, test } from 'vitest';
import { openJobRig, SCOPE, until } from './job-rig.ts';

// Set QUEUED_JOBS=100000 for a long queue.
const JOBS = Number(process.env['QUEUED_JOBS'] ?? 300);
const TIMEOUT_MS = 60_000 + JOBS * 30;
/** More than a queued job reserves, so that only the number of jobs is limited. */
const BYTES_PER_JOB = 1_048_576;
const PRIORITIES = [0, 5, -5];

// The last places of a queue are kept for the scopes that have fewer jobs.
const SCOPES = [SCOPE, 'another'] as const;

interface Submitted {
  readonly scope: string;
  readonly prompt: string;
  readonly priority: number;
}

/** Returns the prompts of one scope in the order in which its jobs must run. */
const orderOf = (jobs: readonly Submitted[], scope: string) =>
  jobs
    .filter((job) => job.scope === scope)
    .toSorted((one, other) => other.priority - one.priority)
    .map(({ prompt }) => prompt);

test(
  'a full queue runs each job once, by priority and then in the order of submission',
  async () => {
    const rig = await openJobRig({ max_pending: JOBS, max_database_bytes: JOBS * BYTES_PER_JOB });
    const submitted = Array.from({ length: JOBS }, (_, nth) => ({
      scope: SCOPES[nth % SCOPES.length] ?? SCOPE,
      prompt: `boat ${nth}`,
      priority: PRIORITIES[nth % PRIORITIES.length] ?? 0,
    }));
    for (const { scope, ...job } of submitted) await rig.submit(job, { scope });
    await expect(rig.submit()).rejects.toMatchObject({ code: 'overloaded' });

    const loop = rig.work();
    for (let nth = 0; nth < JOBS; nth += 1) (await rig.run(nth)).succeed();
    await until(() => rig.active() === 0);

    for (const scope of SCOPES) {
      const ran = rig.runs.filter(({ context }) => context.scope === scope);
      expect(ran.map(({ request }) => request.prompt)).toEqual(orderOf(submitted, scope));
    }
    await loop.drain(AbortSignal.abort());
    await expect(rig.submit()).resolves.toMatchObject({ job: { status: 'queued' } });
    await rig.close();
  },
  TIMEOUT_MS,
);
