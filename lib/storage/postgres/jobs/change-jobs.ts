import * as v from 'valibot';
import { OWN_PROVIDER } from '../../../contract/request/own-work.ts';
import { ImageJobSummary } from '../../../contract/resources/job.ts';
import { BridgeError } from '../../../errors/bridge-error.ts';
import type { JobCancellation, JobStore } from '../../../jobs/job-store-port.ts';
import { changeMarks } from '../../jobs/image-marks.ts';
import { refuseOtherPriority } from '../../jobs/job-priority.ts';
import { parseCancellation } from '../../jobs/job-rows.ts';
import type { Postgres, Queries } from '../connection.ts';
import { rowArrays } from '../row-arrays.ts';
import type { CommitNotice } from './commit-notices.ts';
import { createGroupedChanges, type LockedChange } from './grouped-changes.ts';
import { createJobCounts, toScopeMove } from './job-counts.ts';
import type { JobEnding } from './job-endings.ts';
import { createJobImages } from './job-images.ts';
import { LOCKED_COLUMNS, type LockedJob, toMove } from './locked-job.ts';
import { recordTables } from './record-sql.ts';

/** Creates the methods that request the ends of jobs. */
export function createJobCancellations(
  database: Postgres,
  { ending }: { readonly ending: JobEnding },
): Pick<JobStore, 'cancel' | 'listCancellations'> {
  const { schema, owner } = database;
  const ASK_TO_STOP = `
    UPDATE ${schema}.job SET cancel_requested = 1, updated = $2 WHERE seq = $1`;
  // A request that stops the calls in flight replaces a request that lets these calls finish.
  const REQUEST_CANCELLATION = `
    UPDATE ${schema}.job_content SET cancellation = $2
    WHERE seq = $1 AND (
      cancellation IS NULL
      OR cancellation::json ->> 'inFlight' = 'finish' AND $2::json ->> 'inFlight' = 'stop'
    )`;
  const LIST_CANCELLATIONS = `
    SELECT job.seq AS sequence, id, scope, cancellation FROM ${recordTables(schema)}
    WHERE status = 'running' AND owner = $1 AND cancellation IS NOT NULL`;

  type Request = Parameters<JobStore['cancel']>[2];

  /** Asks running jobs to stop, and returns the notices for their processes. */
  async function askToStop(
    queries: Queries,
    asked: readonly LockedChange<Request>[],
  ): Promise<readonly CommitNotice[]> {
    for (const { job, request } of asked) {
      const { error, inFlight, atSecs } = request;
      const cancellation: JobCancellation = { error, inFlight };
      await queries.rows(REQUEST_CANCELLATION, [job.sequence, JSON.stringify(cancellation)]);
      if (job.cancelRequested === 0) await queries.rows(ASK_TO_STOP, [job.sequence, atSecs]);
    }
    return asked.flatMap(({ job: { scope, id } }): readonly CommitNotice[] => [
      { type: 'changed', scope },
      { type: 'cancelling', id },
    ]);
  }

  const cancel = createGroupedChanges<Request>(database, {
    async change(queries, all) {
      const asked = all.filter(
        ({ job, request }) => job.status === 'running' && !request.isOnlyQueued,
      );
      const ended = all.filter(({ job }) => job.status === 'queued');
      if (asked.length === 0 && ended.length === 0) return;
      const notices = await askToStop(queries, asked);
      const changes = asked.map(({ job }) => job).filter((job) => job.cancelRequested === 0);
      const ends = ended.map(({ job, request: { atSecs, error } }) => ({
        job,
        end: { status: 'cancelled', completedSecs: atSecs, error } as const,
      }));
      await ending.end(queries, ends, { changes, notices });
    },
  });

  return {
    cancel,
    listCancellations: () =>
      database.read(async ({ rows }) =>
        (await rows(LIST_CANCELLATIONS, [owner])).map(parseCancellation),
      ),
  };
}

/** A locked job, and its new counted columns. */
interface CountedChange {
  readonly job: LockedJob;
  readonly after: Parameters<typeof toMove>[1];
}

/** Creates the function that runs the update of the marks of locked jobs, and moves the counts. */
function createCountedUpdate(database: Postgres) {
  const counts = createJobCounts(database);
  const images = createJobImages(database);

  return async (
    queries: Queries,
    changes: readonly CountedChange[],
    update: () => Promise<unknown>,
  ): Promise<void> => {
    const jobs = changes.map(({ job }) => job);
    const moves = changes.map(({ job, after }) => toMove(job, after));
    const imageMoves = await images.countingOf(queries, jobs, update);
    await counts.moveScopes(queries, [...moves.map(toScopeMove), ...imageMoves], jobs);
    const notices = jobs.flatMap(({ scope, status, provider }): readonly CommitNotice[] => [
      { type: 'changed', scope },
      // A claim skips locked jobs and may have skipped this job, so a worker claims again.
      ...(status === 'queued'
        ? [{ type: 'queued', count: 1, ownCount: Number(provider === OWN_PROVIDER) } as const]
        : []),
    ]);
    await counts.moveTotals(queries, { moves, imageMoves, notices });
  };
}

interface Marks {
  readonly favorite: number;
  readonly ownFavorite: number;
  readonly deletedSecs: number | null;
  /** The labels in JSON. */
  readonly labels: string;
  readonly priority: number;
}

const NEW_MARKS = rowArrays({
  seq: 'bigint',
  favorite: 'integer',
  deleted: 'bigint',
  updated: 'bigint',
  labels: 'text',
  bytes: 'bigint',
  priority: 'integer',
  own_favorite: 'integer',
});

/** Creates the method that marks, hides and labels jobs. */
export function createJobMarks(database: Postgres): Pick<JobStore, 'update'> {
  const MARK = `
    UPDATE ${database.schema}.job AS job SET
      favorite = marks.favorite, deleted = marks.deleted, updated = marks.updated,
      labels = marks.labels, bytes = marks.bytes, priority = marks.priority,
      own_favorite = marks.own_favorite
    FROM ${NEW_MARKS.sql} AS marks WHERE job.seq = marks.seq`;
  const REPLACE_LABELS = `
    WITH removed AS (
      DELETE FROM ${database.schema}.job_label WHERE seq = $1 AND label <> ALL ($3::text[])
    )
    INSERT INTO ${database.schema}.job_label (scope, label, seq)
    SELECT $2, label, $1 FROM unnest($3::text[]) AS label
    ON CONFLICT DO NOTHING`;
  const updateCounted = createCountedUpdate(database);

  const update = createGroupedChanges<Parameters<JobStore['update']>[2]>(database, {
    check({ job, request: { deleted, priority } }) {
      if (deleted && job.completedSecs === null) {
        throw new BridgeError('job_not_terminal', 'a job can be hidden only after it has ended');
      }
      refuseOtherPriority(job, priority);
    },

    async change(queries, all) {
      const changes = all
        .map(({ job, request }) => ({ job, request, marks: marksAfter(job, request) }))
        .filter(({ job, marks }) => !hasMarks(job, marks));
      if (changes.length === 0) return;
      for (const { job, request, marks } of changes) {
        if (marks.labels === job.labels) continue;
        await queries.rows(REPLACE_LABELS, [job.sequence, job.scope, request.labels]);
      }
      const rows = changes.map(({ job, request, marks }) => ({
        seq: job.sequence,
        favorite: marks.favorite,
        deleted: marks.deletedSecs,
        updated: request.atSecs,
        labels: marks.labels,
        bytes: job.bytes + Buffer.byteLength(marks.labels) - Buffer.byteLength(job.labels),
        priority: marks.priority,
        own_favorite: marks.ownFavorite,
      }));
      const counted = changes.map(({ job, marks: { favorite, deletedSecs } }, at) => ({
        job,
        after: { favorite, hidden: deletedSecs !== null, bytes: rows[at]?.bytes ?? job.bytes },
      }));
      await updateCounted(queries, counted, () => queries.rows(MARK, NEW_MARKS.values(rows)));
    },
  });

  return { update };
}

/** Returns the marks of a job after a change. */
function marksAfter(
  job: LockedJob,
  { atSecs, favorite, deleted, labels, priority }: Parameters<JobStore['update']>[2],
): Marks {
  const hiddenSecs = deleted ? (job.deletedSecs ?? atSecs) : null;
  return {
    favorite: favorite === undefined ? job.favorite : Number(favorite),
    ownFavorite: favorite === undefined ? job.ownFavorite : Number(favorite),
    deletedSecs: deleted === undefined ? job.deletedSecs : hiddenSecs,
    labels: labels === undefined ? job.labels : JSON.stringify(labels),
    priority: priority ?? job.priority,
  };
}

function hasMarks(job: LockedJob, marks: Marks): boolean {
  return (
    marks.favorite === job.favorite &&
    marks.ownFavorite === job.ownFavorite &&
    marks.deletedSecs === job.deletedSecs &&
    marks.priority === job.priority &&
    marks.labels === job.labels
  );
}

const Artifacts = v.pipe(v.string(), v.parseJson(), ImageJobSummary.entries.artifacts);

/** Creates the method that marks images. */
export function createImageMarks(database: Postgres): Pick<JobStore, 'markImage'> {
  const { schema } = database;
  const LOCK = `
    SELECT ${LOCKED_COLUMNS}, artifacts FROM ${schema}.job
    WHERE seq = (SELECT seq FROM ${schema}.job_image WHERE artifact_id = $1) AND scope = $2
    FOR NO KEY UPDATE`;
  const MARK = `
    UPDATE ${schema}.job SET
      favorite = $2, deleted = $3, updated = $4, artifacts = $5, bytes = $6, own_favorite = $7
    WHERE seq = $1`;
  const updateCounted = createCountedUpdate(database);

  function mark(
    queries: Queries,
    job: LockedJob,
    marks: Omit<Marks, 'labels' | 'priority'> & {
      readonly atSecs: number;
      readonly artifacts: string;
    },
    bytes: number,
  ): Promise<void> {
    const { favorite, ownFavorite, deletedSecs, atSecs, artifacts } = marks;
    const after = { favorite, hidden: deletedSecs !== null, bytes };
    return updateCounted(queries, [{ job, after }], () =>
      queries.rows(MARK, [
        job.sequence,
        favorite,
        deletedSecs,
        atSecs,
        artifacts,
        bytes,
        ownFavorite,
      ]),
    );
  }

  return {
    markImage: (scope, artifactId, change) =>
      database.write(async (queries) => {
        const [job] = await queries.rows<LockedJob & { readonly artifacts: string }>(LOCK, [
          artifactId,
          scope,
        ]);
        if (!job) return undefined;
        const before = {
          favorite: job.favorite === 1,
          ownFavorite: job.ownFavorite === 1,
          deletedSecs: job.deletedSecs,
          artifacts: v.parse(Artifacts, job.artifacts),
        };
        const after = changeMarks(before, artifactId, change);
        if (after !== before) {
          const artifacts = JSON.stringify(after.artifacts);
          const bytes = job.bytes + Buffer.byteLength(artifacts) - Buffer.byteLength(job.artifacts);
          const { deletedSecs } = after;
          const marks = {
            favorite: Number(after.favorite),
            ownFavorite: Number(after.ownFavorite),
            deletedSecs,
            artifacts,
            atSecs: change.atSecs,
          };
          await mark(queries, job, marks, bytes);
        }
        const position = after.artifacts.findIndex(({ id }) => id === artifactId);
        const artifact = after.artifacts[position];
        return artifact && { jobId: job.id, position, artifact };
      }),
  };
}
