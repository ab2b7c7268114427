import * as v from 'valibot';
import { STAGES } from '../../contract/reply/stream-events.ts';
import type { OutputFormat } from '../../contract/request/parameters.ts';
import type {
  JobNotice,
  JobPartial,
  JobProgress,
  JobProgressEvent,
  JobProgressStore,
} from '../../jobs/job-notices-port.ts';
import type { JobKey } from '../../jobs/job-store-port.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Postgres } from './connection.ts';
import { notifySql } from './jobs/commit-notices.ts';
import { type Notifications, toOwnPayload } from './notifications.ts';
import { NOW_MS } from './replica-lease.ts';
import { rowArrays } from './row-arrays.ts';

/** The progress of a job that runs in this process. */
interface State {
  readonly job: JobKey;
  progress: JobProgress;
  partial?: JobPartial;
  /** True if the job may have a row. */
  hasRow: boolean;
  /** The parts that are not written yet. */
  unwritten: {
    isAdvanced: boolean;
    hasPartial: boolean;
    /** The latest event of each subject. */
    readonly events: Map<string, JobProgressEvent>;
  };
}

interface Deps {
  readonly notifications: Pick<Notifications, 'publish'>;
  readonly clock: Pick<Clock, 'after'>;
}

// The progress of fast jobs is never written. A person does not notice the delay.
const WRITE_AFTER_MS = 100;

const ProgressRow = v.object({
  id: v.string(),
  stage: v.picklist(STAGES),
  partial_images: v.number(),
  finished_images: v.number(),
});

const PROGRESS = rowArrays({ id: 'text', stage: 'text', partials: 'integer', finished: 'integer' });

/**
 * Keeps the progress of the jobs of this process in memory and writes it for other replicas. One statement writes the latest state
 * of all jobs, at most once every 100 ms, because each notice costs every replica time. Failed writes are not repeated.
 */
export function createJobProgress(
  postgres: Postgres,
  { notifications: { publish }, clock }: Deps,
): JobProgressStore {
  const { read } = postgres;
  const { find, findPartial } = toReads(postgres.schema);
  const states = new Map<string, State>();
  const writes = createWrites(postgres, clock, states);

  return {
    begin: (job, progress) =>
      void states.set(job.id, { job, progress, hasRow: false, unwritten: nothing() }),

    report(job, { progress, partial, event }) {
      const state = states.get(job.id);
      if (!state) return;
      const { unwritten } = state;
      if (progress) Object.assign(state, { progress });
      if (partial) Object.assign(state, { partial });
      unwritten.isAdvanced ||= progress !== undefined;
      unwritten.hasPartial ||= partial !== undefined;
      if (event) unwritten.events.set(`${event.type} ${event.index}`, event);
      writes.begin();
      if (event) publish({ type: 'happened', id: job.id, event });
      if (progress) publish({ type: 'advanced', job });
    },

    remove({ id }) {
      const state = states.get(id);
      states.delete(id);
      if (state?.hasRow) writes.remove(id);
    },

    async find(ids) {
      const found = new Map<string, JobProgress>();
      for (const id of ids) {
        const state = states.get(id);
        if (state) found.set(id, state.progress);
      }
      const others = ids.filter((id) => !found.has(id));
      if (others.length === 0) return found;
      for (const row of await read(({ rows }) => rows(find, [others]))) {
        const { id, ...progress } = v.parse(ProgressRow, row);
        found.set(id, progress);
      }
      return found;
    },

    async findPartial(id) {
      const state = states.get(id);
      if (state) return state.partial;
      const [row] = await read(({ rows }) => rows<PartialRow>(findPartial, [id]));
      if (!row) return undefined;
      const { bytes, format, partialIndex } = row;
      return { image: { bytes, format }, partialIndex };
    },
  };
}

/** Creates the writes of the unwritten parts of the states of running jobs. */
function createWrites(
  { schema, owner, apply }: Postgres,
  clock: Pick<Clock, 'after'>,
  states: ReadonlyMap<string, State>,
) {
  const store = toStore(schema);
  let removed: string[] = [];
  let isWriting = false;

  function writeSoon(): void {
    if (isWriting) return;
    isWriting = true;
    clock.after(WRITE_AFTER_MS, () => void writeAll());
  }

  const listUnwritten = () => [...states.values()].filter((it) => !isNothing(it.unwritten));
  const isLeft = () => removed.length > 0 || listUnwritten().length > 0;

  async function writeAll(): Promise<void> {
    // The jobs may have ended meanwhile. A failure is ignored because the state is used only for display.
    if (isLeft()) await write(takeBatch()).catch(() => {});
    isWriting = false;
    if (isLeft()) writeSoon();
  }

  /** Returns the unwritten states, of which at most one has a partial image, because partial images are large. */
  function takeBatch(): Batch {
    const changed = listUnwritten();
    const shown = changed.find(({ unwritten }) => unwritten.hasPartial);
    const written = changed.filter((it) => it === shown || !it.unwritten.hasPartial);
    const notices = written.flatMap(toNotices).map((notice) => toOwnPayload(notice, owner));
    for (const state of written) Object.assign(state, { hasRow: true, unwritten: nothing() });
    const batch = { states: written, shown, removed, notices };
    removed = [];
    return batch;
  }

  async function write({ states: written, shown, removed: ended, notices }: Batch): Promise<void> {
    const { image, partialIndex } = shown?.partial ?? {};
    const rows = written.map(({ job: { id }, progress }) => {
      const { stage, partial_images: partials, finished_images: finished } = progress;
      return { id, stage, partials, finished };
    });
    await apply(store, [
      ...PROGRESS.values(rows),
      owner,
      shown?.job.id,
      image?.bytes,
      image?.format,
      partialIndex,
      ended,
      schema,
      notices,
    ]);
  }

  return {
    /** Writes within 100 ms, or when the write in progress has ended. */
    begin: writeSoon,

    /** Removes the row of a job. */
    remove(id: string): void {
      removed.push(id);
      writeSoon();
    },
  };
}

function toStore(schema: string): string {
  const first = PROGRESS.next;
  const partial = `(VALUES ($${first + 1}::text, $${first + 2}::bytea, $${first + 3}::text, $${first + 4}::integer))
    AS partial (id, bytes, format, index)`;
  // Also removes the rows of replicas that are gone. There are few rows, at most one for each running job.
  return `
    WITH stored AS (
      INSERT INTO ${schema}.job_progress AS old
        (id, owner, stage, partial_images, finished_images, partial, partial_format, partial_index)
      SELECT id, $${first}, stage, partials, finished, bytes, format, index
      FROM ${PROGRESS.sql} AS one LEFT JOIN ${partial} USING (id)
      ON CONFLICT (id) DO UPDATE SET
        owner = excluded.owner, stage = excluded.stage,
        partial_images = excluded.partial_images, finished_images = excluded.finished_images,
        partial = coalesce(excluded.partial, old.partial),
        partial_format = coalesce(excluded.partial_format, old.partial_format),
        partial_index = coalesce(excluded.partial_index, old.partial_index)
    ), removed AS (
      DELETE FROM ${schema}.job_progress WHERE CASE owner
        WHEN $${first} THEN id = ANY ($${first + 5}::text[])
        ELSE NOT EXISTS (
          SELECT FROM ${schema}.replica WHERE replica.id = job_progress.owner AND lease_until > ${NOW_MS})
        END
    )
    ${notifySql(`$${first + 6}`, `$${first + 7}`)}`;
}

function toReads(schema: string) {
  return {
    find: `
    SELECT id, stage, partial_images, finished_images FROM ${schema}.job_progress WHERE id = ANY ($1::text[])`,
    findPartial: `
    SELECT partial AS bytes, partial_format AS format, partial_index AS "partialIndex"
    FROM ${schema}.job_progress WHERE id = $1 AND partial IS NOT NULL`,
  };
}

/** The parts of one write. */
interface Batch {
  readonly states: readonly State[];
  /** The job whose partial image is written. */
  readonly shown: State | undefined;
  /** The ids of jobs whose rows are removed. */
  readonly removed: readonly string[];
  readonly notices: readonly string[];
}

interface PartialRow {
  readonly bytes: Buffer;
  readonly format: OutputFormat;
  readonly partialIndex: number;
}

function toNotices({ job, unwritten }: State): readonly JobNotice[] {
  const happened = [...unwritten.events.values()].map(
    (event) => ({ type: 'happened', id: job.id, event }) as const,
  );
  return unwritten.isAdvanced ? [...happened, { type: 'advanced', job }] : happened;
}

function nothing(): State['unwritten'] {
  return { isAdvanced: false, hasPartial: false, events: new Map() };
}

function isNothing({ isAdvanced, hasPartial, events }: State['unwritten']): boolean {
  return !isAdvanced && !hasPartial && events.size === 0;
}
