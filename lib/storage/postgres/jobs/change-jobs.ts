import * as v from 'valibot';
import { ImageJobSummary } from '../../../contract/resources/job.ts';
import { BridgeError } from '../../../errors/bridge-error.ts';
import type { JobCancellation, JobRecord, JobStore } from '../../../jobs/job-store-port.ts';
import { changeMarks } from '../../jobs/image-marks.ts';
import { refuseOtherPriority } from '../../jobs/job-priority.ts';
import { parseCancellation, parseRecord } from '../../jobs/job-rows.ts';
import type { Postgres, Queries } from '../connection.ts';
import type { CommitNotice } from './commit-notices.ts';
import { createJobCounts, toScopeMove } from './job-counts.ts';
import type { JobEnding } from './job-endings.ts';
import { createJobImages } from './job-images.ts';
import { LOCKED_COLUMNS, type LockedJob, toMove } from './locked-job.ts';
import { recordColumns, recordTables } from './record-sql.ts';

type Change = (queries: Queries, job: LockedJob) => Promise<void>;

/** Creates the function that locks a job, runs `change`, and resolves with the job in its new state. */
function createChanging({ schema, write }: Postgres) {
  const LOCK = `
    SELECT ${LOCKED_COLUMNS} FROM ${schema}.job WHERE id = $1 AND scope = $2 FOR NO KEY UPDATE`;
  const FIND = `SELECT ${recordColumns(schema)} FROM ${recordTables(schema)} WHERE job.seq = $1`;

  return (scope: string, id: string, change: Change): Promise<JobRecord | undefined> =>
    write(async (queries) => {
      const [locked] = await queries.rows<LockedJob>(LOCK, [id, scope]);
      if (!locked) return undefined;
      await change(queries, locked);
      return parseRecord((await queries.rows(FIND, [locked.sequence]))[0]);
    });
}

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
  const changing = createChanging(database);
  const counts = createJobCounts(database);

  async function askToStop(
    queries: Queries,
    { sequence, scope, id, cancelRequested }: LockedJob,
    { atSecs, error, inFlight }: JobCancellation & { readonly atSecs: number },
  ): Promise<void> {
    const cancellation: JobCancellation = { error, inFlight };
    await queries.rows(REQUEST_CANCELLATION, [sequence, JSON.stringify(cancellation)]);
    if (cancelRequested === 0) {
      await queries.rows(ASK_TO_STOP, [sequence, atSecs]);
      await counts.moveScopes(queries, [{ scope }], [{ sequence, scope }]);
    }
    await counts.moveTotals(queries, {
      moves: [],
      notices: [
        { type: 'changed', scope },
        { type: 'cancelling', id },
      ],
    });
  }

  return {
    cancel: (scope, id, request) =>
      changing(scope, id, async (queries, job) => {
        const { atSecs, error, isOnlyQueued } = request;
        if (job.status === 'running') {
          if (!isOnlyQueued) await askToStop(queries, job, request);
        } else if (job.status === 'queued') {
          const end = { status: 'cancelled', completedSecs: atSecs, error } as const;
          await ending.end(queries, [{ job, end }]);
        }
      }),
    listCancellations: () =>
      database.read(async ({ rows }) =>
        (await rows(LIST_CANCELLATIONS, [owner])).map(parseCancellation),
      ),
  };
}

/** Creates the function that runs the update of a locked job's marks, and moves the counts from `job` to `after`. */
function createCountedUpdate(database: Postgres) {
  const counts = createJobCounts(database);
  const images = createJobImages(database);

  return async (
    queries: Queries,
    job: LockedJob,
    after: Parameters<typeof toMove>[1],
    update: () => Promise<unknown>,
  ): Promise<void> => {
    const { sequence, scope, status } = job;
    const moves = [toMove(job, after)];
    const imageMoves = await images.countingOf(queries, [job], update);
    const scopes = [...moves.map(toScopeMove), ...imageMoves];
    await counts.moveScopes(queries, scopes, [{ sequence, scope }]);
    const notices: CommitNotice[] = [{ type: 'changed', scope }];
    // A claim skips locked jobs. It may have skipped this job, so a worker claims again.
    if (status === 'queued') notices.push({ type: 'queued', count: 1 });
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

/** Creates the method that marks, hides and labels jobs. */
export function createJobMarks(database: Postgres): Pick<JobStore, 'update'> {
  const MARK = `
    UPDATE ${database.schema}.job SET
      favorite = $2, deleted = $3, updated = $4, labels = $5, bytes = $6, priority = $7,
      own_favorite = $8
    WHERE seq = $1`;
  const REPLACE_LABELS = `
    WITH removed AS (
      DELETE FROM ${database.schema}.job_label WHERE seq = $1 AND label <> ALL ($3::text[])
    )
    INSERT INTO ${database.schema}.job_label (scope, label, seq)
    SELECT $2, label, $1 FROM unnest($3::text[]) AS label
    ON CONFLICT DO NOTHING`;
  const changing = createChanging(database);
  const updateCounted = createCountedUpdate(database);

  function mark(
    queries: Queries,
    job: LockedJob,
    marks: Marks & { readonly atSecs: number },
  ): Promise<void> {
    const { favorite, ownFavorite, deletedSecs, labels, priority, atSecs } = marks;
    const bytes = job.bytes + Buffer.byteLength(labels) - Buffer.byteLength(job.labels);
    return updateCounted(queries, job, { favorite, hidden: deletedSecs !== null, bytes }, () =>
      queries.rows(MARK, [
        ...[job.sequence, favorite, deletedSecs, atSecs],
        ...[labels, bytes, priority, ownFavorite],
      ]),
    );
  }

  return {
    update: (scope, id, { atSecs, favorite, deleted, labels, priority }) =>
      changing(scope, id, async (queries, job) => {
        if (deleted && job.completedSecs === null) {
          throw new BridgeError('job_not_terminal', 'a job can be hidden only after it has ended');
        }
        refuseOtherPriority(job, priority);
        const hiddenSecs = deleted ? (job.deletedSecs ?? atSecs) : null;
        const marks: Marks = {
          favorite: favorite === undefined ? job.favorite : Number(favorite),
          ownFavorite: favorite === undefined ? job.ownFavorite : Number(favorite),
          deletedSecs: deleted === undefined ? job.deletedSecs : hiddenSecs,
          labels: labels === undefined ? job.labels : JSON.stringify(labels),
          priority: priority ?? job.priority,
        };
        const isSame =
          marks.favorite === job.favorite &&
          marks.ownFavorite === job.ownFavorite &&
          marks.deletedSecs === job.deletedSecs &&
          marks.priority === job.priority &&
          marks.labels === job.labels;
        if (isSame) return;
        if (marks.labels !== job.labels) {
          await queries.rows(REPLACE_LABELS, [job.sequence, scope, labels]);
        }
        await mark(queries, job, { ...marks, atSecs });
      }),
  };
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
    return updateCounted(queries, job, { favorite, hidden: deletedSecs !== null, bytes }, () =>
      queries.rows(MARK, [
        ...[job.sequence, favorite, deletedSecs, atSecs],
        ...[artifacts, bytes, ownFavorite],
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
            ...{ deletedSecs, artifacts, atSecs: change.atSecs },
          };
          await mark(queries, job, marks, bytes);
        }
        const position = after.artifacts.findIndex(({ id }) => id === artifactId);
        const artifact = after.artifacts[position];
        return artifact && { jobId: job.id, position, artifact };
      }),
  };
}
