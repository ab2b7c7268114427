import fc from 'fast-check';
import type { JobFilter, JobRecord, JobStore } from '../../lib/jobs/job-store-port.ts';
import {
  CANCELLATION,
  CREATED_SECS,
  editOf,
  FAILURE,
  jobResult,
  newJob,
  succeeded,
  WIDE,
} from './jobs.ts';

/** The expected content of a store after a history. */
export interface JobModel {
  readonly jobs: Map<number, JobRecord>;
  /** The provider of each job. */
  readonly providers: Map<number, string>;
  readonly facts: Map<number, JobModelFacts>;
}

/** The facts of a job by which lists are filtered. */
export interface JobModelFacts {
  readonly model?: string | undefined;
  readonly operation: string;
  /** The size of the first image, or the planned size. */
  readonly size: string;
  readonly createdSecs: number;
}

/** Returns true if a job with these facts passes the filter by facts. */
export function matchesFacts(filter: JobFilter, facts: JobModelFacts | undefined): boolean {
  if (facts === undefined) return false;
  const { model, operation, size, createdFromSecs, createdBeforeSecs } = filter;
  return (
    (model === undefined || facts.model === model) &&
    (operation === undefined || facts.operation === operation) &&
    (createdFromSecs === undefined || facts.createdSecs >= createdFromSecs) &&
    (createdBeforeSecs === undefined || facts.createdSecs < createdBeforeSecs) &&
    (size === undefined || matchesSize(size, facts.size))
  );
}

function matchesSize(wanted: NonNullable<JobFilter['size']>, size: string): boolean {
  if (wanted.kind === 'auto' || size === 'auto') return size === wanted.kind;
  const [width = 0, height = 0] = size.split('x').map(Number);
  if (wanted.kind === 'pixels') return width === wanted.width && height === wanted.height;
  return Math.abs((width / height) * (wanted.height / wanted.width) - 1) < 0.01;
}

/** One step that changes a store and its model. */
export type JobStep = (store: JobStore, model: JobModel) => Promise<void>;

export const SCOPES = ['a', 'b'];
export const PROVIDERS = ['sandbox', 'agent-responses'];
export const LABELS = ['cats', 'Füchse'];

export const GROUPS = ['lake', 'hill'];

const INPUTS = ['ab', 'cd', 'ef'].map((byte) => byte.repeat(32));

const SIZES = ['auto', '1024x1024', '1536x1024', '1530x1024', '640x480'];

const submittedFacts = fc.record({
  model: fc.constantFrom('sandbox-image', 'sandbox-sketch', undefined),
  operation: fc.constantFrom('edit' as const, 'generate' as const),
  size: fc.constantFrom(...SIZES),
  createdSecs: fc.integer({ min: CREATED_SECS, max: CREATED_SECS + 2 }),
});

const submit = fc
  .tuple(
    fc.constantFrom(...SCOPES),
    fc.constantFrom(...PROVIDERS),
    fc.subarray(INPUTS),
    fc.subarray(LABELS),
    fc.option(fc.constantFrom(...GROUPS), { nil: undefined }),
    submittedFacts,
  )
  .map(
    ([scope, provider, inputs, labels, group, submitted]): JobStep =>
      async (store, { jobs, providers, facts }) => {
        const { model, operation, size, createdSecs } = submitted;
        const { model: _, ...plain } = newJob();
        const { job } = await store.submit(
          {
            ...plain,
            ...{ scope, provider, labels, size, createdSecs },
            ...(model !== undefined && { model }),
            request: { ...editOf(inputs, 1000), operation },
            group: group === undefined ? undefined : { id: group, row: 0, column: 1 },
          },
          WIDE,
        );
        facts.set(job.sequence, submitted);
        jobs.set(job.sequence, job);
        providers.set(job.sequence, provider);
      },
  );

const claim = fc.constant<JobStep>(async (store, { jobs }) => {
  const job = await store.claim(2);
  if (job?.request) jobs.set(job.sequence, job);
});

const settle = fc
  .tuple(fc.nat(40), fc.constantFrom('succeeded', 'failed', 'cancelled', 'interrupted'))
  .map(
    ([sequence, status]): JobStep =>
      async (store, { jobs, providers, facts }) => {
        const settled = await store.settle(
          sequence,
          status === 'succeeded' ? succeeded(3) : { status, completedSecs: 3, error: FAILURE },
        );
        const job = jobs.get(sequence);
        if (!job || !settled) return;
        jobs.set(sequence, { ...job, status });
        const before = facts.get(sequence);
        if (status !== 'succeeded' || before === undefined) return;
        const { provider, model } = jobResult([]);
        providers.set(sequence, provider);
        facts.set(sequence, { ...before, model });
      },
  );

const cancel = fc.nat(40).map(
  (sequence): JobStep =>
    async (store, { jobs }) => {
      const job = jobs.get(sequence);
      if (!job) return;
      const request = { atSecs: 4, error: CANCELLATION, inFlight: 'stop' } as const;
      const reply = await store.cancel(job.scope, job.id, request);
      if (reply) jobs.set(sequence, reply);
    },
);

const update = fc
  .record({
    sequence: fc.nat(40),
    favorite: fc.option(fc.boolean(), { nil: undefined }),
    deleted: fc.option(fc.boolean(), { nil: undefined }),
    labels: fc.option(fc.subarray(LABELS), { nil: undefined }),
  })
  .map(
    ({ sequence, ...marks }): JobStep =>
      async (store, { jobs }) => {
        const job = jobs.get(sequence);
        if (!job) return;
        const updating = store.update(job.scope, job.id, { atSecs: 5, ...marks });
        const reply = await updating.catch(() => undefined);
        if (reply) jobs.set(sequence, reply);
      },
  );

const prune = fc.nat(12).map(
  (maxRetained): JobStep =>
    async (store, { jobs }) => {
      const rule = { completedBeforeSecs: 0, maxRetainedBytes: 1e9, batch: 3 };
      const { removed } = await store.prune({ ...rule, maxRetained });
      for (const sequence of removed) jobs.delete(sequence);
    },
);

/** Generates every kind of step, with the jobs of two scopes. */
export const jobHistories = fc.array(
  fc.oneof(
    { arbitrary: submit, weight: 4 },
    { arbitrary: claim, weight: 3 },
    { arbitrary: settle, weight: 6 },
    { arbitrary: cancel, weight: 1 },
    { arbitrary: update, weight: 3 },
    { arbitrary: prune, weight: 1 },
  ),
  { minLength: 20, maxLength: 120 },
);
