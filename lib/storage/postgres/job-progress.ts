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
import type { Postgres } from './connection.ts';
import { type Notifications, toOwnPayload } from './notifications.ts';
import { NOW_MS } from './replica-lease.ts';

/** The progress of a job that runs in this process. */
interface State {
  progress: JobProgress;
  partial?: JobPartial;
  /** The parts that are not written yet. */
  unwritten: {
    isAdvanced: boolean;
    hasPartial: boolean;
    /** The latest event of each subject. */
    readonly events: Map<string, JobProgressEvent>;
  };
  /** Resolves when no write is in progress. Undefined if the job has no row. */
  writing?: Promise<void>;
}

const ProgressRow = v.object({
  id: v.string(),
  stage: v.picklist(STAGES),
  partial_images: v.number(),
});

/**
 * Keeps the progress of the jobs of this process in memory and writes it for other replicas. At most one write for each job is
 * in progress, and the next write has the latest state. Failed writes are not repeated.
 */
export function createJobProgress(
  { schema, owner, read, write }: Postgres,
  { publish }: Pick<Notifications, 'publish'>,
): JobProgressStore {
  const STORE = `
    WITH stored AS (
      INSERT INTO ${schema}.job_progress AS old
        (id, owner, stage, partial_images, partial, partial_format, partial_index)
      VALUES ($1, $2, $3, $4, $5, $6, $7)
      ON CONFLICT (id) DO UPDATE SET
        owner = excluded.owner, stage = excluded.stage, partial_images = excluded.partial_images,
        partial = coalesce(excluded.partial, old.partial),
        partial_format = coalesce(excluded.partial_format, old.partial_format),
        partial_index = coalesce(excluded.partial_index, old.partial_index)
    )
    SELECT pg_notify(trim(both '"' from $8::text), notice) FROM unnest($9::text[]) AS notice`;
  // Also removes the rows of replicas that are gone. There are few rows, at most one for each running job.
  const REMOVE = `
    DELETE FROM ${schema}.job_progress WHERE id = $1 OR NOT EXISTS (
      SELECT FROM ${schema}.replica WHERE replica.id = job_progress.owner AND lease_until > ${NOW_MS})`;
  const FIND = `
    SELECT id, stage, partial_images FROM ${schema}.job_progress WHERE id = ANY ($1::text[])`;
  const FIND_PARTIAL = `
    SELECT partial AS bytes, partial_format AS format, partial_index AS "partialIndex"
    FROM ${schema}.job_progress WHERE id = $1 AND partial IS NOT NULL`;
  const states = new Map<string, State>();

  async function store(job: JobKey, state: State): Promise<void> {
    const { progress, partial, unwritten } = state;
    state.unwritten = nothing();
    const shown = unwritten.hasPartial ? partial : undefined;
    const notices: JobNotice[] = [...unwritten.events.values()].map((event) => ({
      type: 'happened',
      id: job.id,
      event,
    }));
    if (unwritten.isAdvanced) notices.push({ type: 'advanced', job });
    await write(({ rows }) =>
      rows(STORE, [
        ...[job.id, owner, progress.stage, progress.partial_images],
        ...[shown?.image.bytes, shown?.image.format, shown?.partialIndex],
        ...[schema, notices.map((notice) => toOwnPayload(notice, owner))],
      ]),
    );
  }

  async function storeAll(job: JobKey, state: State): Promise<void> {
    while (states.get(job.id) === state && !isNothing(state.unwritten)) {
      // The state is used only for display.
      await store(job, state).catch(() => {});
    }
  }

  return {
    begin: ({ id }, progress) => void states.set(id, { progress, unwritten: nothing() }),

    report(job, { progress, partial, event }) {
      const state = states.get(job.id);
      if (!state) return;
      const { unwritten } = state;
      if (progress) Object.assign(state, { progress });
      if (partial) Object.assign(state, { partial });
      unwritten.isAdvanced ||= progress !== undefined;
      unwritten.hasPartial ||= partial !== undefined;
      if (event) unwritten.events.set(`${event.type} ${event.index}`, event);
      state.writing = (state.writing ?? Promise.resolve()).then(() => storeAll(job, state));
      if (event) publish({ type: 'happened', id: job.id, event });
      if (progress) publish({ type: 'advanced', job });
    },

    remove({ id }) {
      const state = states.get(id);
      states.delete(id);
      void state?.writing?.then(() => write(({ rows }) => rows(REMOVE, [id])).catch(() => {}));
    },

    async find(ids) {
      const found = new Map<string, JobProgress>();
      for (const id of ids) {
        const state = states.get(id);
        if (state) found.set(id, state.progress);
      }
      const others = ids.filter((id) => !found.has(id));
      if (others.length === 0) return found;
      for (const row of await read(({ rows }) => rows(FIND, [others]))) {
        const { id, ...progress } = v.parse(ProgressRow, row);
        found.set(id, progress);
      }
      return found;
    },

    async findPartial(id) {
      const state = states.get(id);
      if (state) return state.partial;
      const [row] = await read(({ rows }) => rows<PartialRow>(FIND_PARTIAL, [id]));
      if (!row) return undefined;
      const { bytes, format, partialIndex } = row;
      return { image: { bytes, format }, partialIndex };
    },
  };
}

interface PartialRow {
  readonly bytes: Buffer;
  readonly format: OutputFormat;
  readonly partialIndex: number;
}

function nothing(): State['unwritten'] {
  return { isAdvanced: false, hasPartial: false, events: new Map() };
}

function isNothing({ isAdvanced, hasPartial, events }: State['unwritten']): boolean {
  return !isAdvanced && !hasPartial && events.size === 0;
}
