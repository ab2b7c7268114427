import * as v from 'valibot';
import type {
  AbandonedEnd,
  JobRecord,
  JobStore,
  ResumedJob,
} from '../../../jobs/job-store-port.ts';
import { createSemaphore } from '../../../platform/semaphore.ts';
import { ARTIFACT_COLUMNS, ArtifactRow } from '../../artifact-rows.ts';
import { OutputFacts, toEarlierImages, toInterruption } from '../../jobs/job-end-texts.ts';
import { parseReadable } from '../../jobs/job-rows.ts';
import type { Postgres, Queries } from '../connection.ts';
import { createJobAccounts } from '../ledger-store.ts';
import type { ReplicaLease } from '../replica-lease.ts';
import { abandonedSql, hasTicketSql, type JobEnding } from './job-endings.ts';
import type { LockedJob } from './locked-job.ts';
import { recordColumns } from './record-sql.ts';
import { createUncertainStarts } from './uncertain-starts.ts';

const OutputRows = v.array(v.intersect([ArtifactRow, v.object({ facts: OutputFacts })]));

interface Deps {
  readonly ending: JobEnding;
  readonly lease: Pick<ReplicaLease, 'hold' | 'judge'>;
}

/** Creates the method that moves a running job of a replica that is gone to this replica. */
export function createJobResumption(
  database: Postgres,
  { ending, lease }: Deps,
): Pick<JobStore, 'resumeAbandoned'> {
  const { schema, owner } = database;
  // A job that another replica takes over at the same time is skipped.
  const LOCK = `
    SELECT ${recordColumns(schema)}, owner, hidden, bytes, reserved, inputs
    FROM (
      SELECT * FROM ${schema}.job WHERE ${abandonedSql(schema)} AND ${hasTicketSql(schema)}
      ORDER BY seq LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
    ) AS job JOIN ${schema}.job_content ON job_content.seq = job.seq`;
  const RESUME = `
    WITH resumed AS (
      UPDATE ${schema}.job SET owner = $2 WHERE seq = $1
    ), unlinked AS (
      DELETE FROM ${schema}.job_output WHERE seq = $1 AND artifact_id <> ALL ($3::text[])
    ), outputs AS (
      UPDATE ${schema}.artifact SET owner = $2
      FROM ${schema}.job_output
      WHERE artifact_id = artifact.id AND seq = $1 AND state = 'pending' AND id = ANY ($3::text[])
      RETURNING ${ARTIFACT_COLUMNS}, image AS facts
    )
    SELECT * FROM outputs ORDER BY id`;
  const accounts = createJobAccounts(database);
  const uncertain = createUncertainStarts<ResumedJob>(database, lease);
  // A call must know what the calls before it have taken.
  const turn = createSemaphore(1);
  const never = new AbortController().signal;

  async function resume(
    queries: Queries,
    job: JobRecord,
    publications: readonly string[],
  ): Promise<ResumedJob | undefined> {
    const outputs = await queries.rows(RESUME, [job.sequence, owner, publications]);
    const images = toEarlierImages(v.parse(OutputRows, outputs));
    const earlier = await accounts.findEarlierWork(queries, job.id, images);
    return earlier && { job, earlier };
  }

  /** Takes over one job or ends it. Resolves with undefined if there is none. */
  const takeNext = (abandoned: AbandonedEnd) =>
    uncertain.watch((note) =>
      database.write(async (queries) => {
        note([]);
        const isValid = (await lease.judge(queries)) && (await lease.hold(queries));
        if (!isValid) return undefined;
        const [locked] = await queries.rows<LockedJob>(LOCK, [owner]);
        if (!locked) return undefined;
        const job = parseReadable(locked);
        const resumed = job && (await resume(queries, job, abandoned.publications ?? []));
        if (resumed) note([resumed]);
        else await ending.end(queries, [{ job: locked, end: toInterruption(abandoned) }]);
        return resumed ?? 'ended';
      }),
    );

  async function takeOne(abandoned: AbandonedEnd): Promise<ResumedJob | undefined> {
    const settled = await uncertain.settle();
    if (!settled) return undefined;
    // Each call takes one job, and settles the job of the call before it.
    const [before] = settled;
    if (before) return before;
    for (;;) {
      const taken = await takeNext(abandoned);
      if (taken !== 'ended') return taken;
    }
  }

  return {
    resumeAbandoned: (abandoned) => turn.run(() => takeOne(abandoned), never),
  };
}
