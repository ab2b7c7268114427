import * as v from 'valibot';
import { FlatBridgeError } from '../../contract/reply/error.ts';
import { ImageResponse } from '../../contract/reply/image-response.ts';
import { StoredInput } from '../../contract/request/image-input.ts';
import {
  ImageJobSummary,
  JOB_ENDS,
  JOB_STATUSES,
  JobRequest,
  PartialResult,
} from '../../contract/resources/job.ts';
import { ERROR_CODES, ERRORS, GENERATION_ERRORS } from '../../errors/codes.ts';
import type { StoredError } from '../../errors/error-body.ts';
import type {
  JobCancellation,
  JobKey,
  JobMask,
  JobParent,
  JobRecord,
  JobSummary,
  JobTotals,
} from '../../jobs/job-store-port.ts';
import { Flag, withoutNulls } from '../rows.ts';
import { hasMarks } from './image-marks.ts';

const FACTS = `
  job.seq AS sequence, id, scope, status, priority, favorite, labels,
  group_id AS "groupId", group_row AS "groupRow", group_column AS "groupColumn",
  deleted AS "deletedSecs",
  cancel_requested AS "cancelRequested", created AS "createdSecs", updated AS "updatedSecs",
  started AS "startedSecs", completed AS "completedSecs"`;

/**
 * Returns the column with the id of the newest retry of the same scope. Only `retry_of` of the retry is stored. `prefix` is the name
 * of the schema with a point, or empty. The expressions with `seq + 0` and `scope || ''` use no index. With the plain columns,
 * PostgreSQL would read all jobs of the scope for each job, until its statistics know how few retries there are.
 */
function retriedAs(prefix: string): string {
  return `
  CASE WHEN job.status IN ('failed', 'cancelled', 'interrupted') THEN (
    SELECT retry.id FROM ${prefix}job AS retry WHERE retry.seq = (
      SELECT max(content.seq + 0) FROM ${prefix}job_content AS content
      JOIN ${prefix}job AS own ON own.seq = content.seq
      WHERE content.retry_of = job.id AND own.scope || '' = job.scope
    )
  ) END AS "retriedAs"`;
}

/**
 * Returns the columns of `job` that `parseSummary` reads. The SQL is the same for all databases. `prefix` is the name of the schema
 * with a point, or empty.
 */
export function summaryColumns(prefix = ''): string {
  return `${FACTS},
  operation, provider, model, outputs, size, inputs, error_code AS "errorCode", artifacts,
  substr(prompt, 1, 256) AS prompt,${retriedAs(prefix)}`;
}

/**
 * Returns the columns of `job` and `job_content` that `parseRecord` reads. The columns `webhook` and `parents`, which are JSON, are
 * missing, because the SQL of JSON depends on the database. `prefix` is the name of the schema with a point, or empty.
 */
export function jobColumns(prefix = ''): string {
  return `${FACTS},
  token, provider, request_id AS "requestId", retry_of AS "retryOf", request, result,
  partial_result AS "partialResult", error, artifacts AS marked,${retriedAs(prefix)}`;
}

/**
 * The columns of `job_parent` in the order of `ParentList`. A database builds the column `parents` of `parseRecord` from them, a
 * JSON list of lists.
 */
export const PARENT_COLUMNS = `
  position, artifact_id, name, width, height, created, parent_id, parent_image`;

/**
 * The estimated bytes of a job's rows without the texts: the small columns, the index entries and a share of the page overhead.
 */
export const ROW_BYTES = 512;

const Nullable = v.nullable(v.number());

const factEntries = {
  sequence: v.number(),
  id: v.string(),
  scope: v.string(),
  status: v.picklist(JOB_STATUSES),
  priority: v.number(),
  favorite: Flag,
  labels: v.pipe(v.string(), v.parseJson(), v.array(v.string())),
  groupId: v.nullable(v.string()),
  groupRow: Nullable,
  groupColumn: Nullable,
  deletedSecs: Nullable,
  cancelRequested: Flag,
  createdSecs: v.number(),
  updatedSecs: v.number(),
  startedSecs: Nullable,
  completedSecs: Nullable,
  retriedAs: v.nullable(v.string()),
};

/** The columns of a group, which are all present or all absent. */
interface GroupColumns {
  readonly groupId?: string;
  readonly groupRow?: number;
  readonly groupColumn?: number;
}

/** Replaces the columns of the group by the group. */
function withGroup<T extends GroupColumns>({ groupId, groupRow, groupColumn, ...row }: T) {
  if (groupId === undefined || groupRow === undefined || groupColumn === undefined) return row;
  return { ...row, group: { id: groupId, row: groupRow, column: groupColumn } };
}

const SummaryRow = v.pipe(
  v.object({
    ...factEntries,
    operation: ImageJobSummary.entries.operation,
    provider: v.string(),
    model: v.nullable(v.string()),
    outputs: v.number(),
    size: v.string(),
    inputs: v.number(),
    errorCode: v.nullable(FlatBridgeError.entries.code),
    artifacts: v.pipe(v.string(), v.parseJson(), ImageJobSummary.entries.artifacts),
    prompt: v.string(),
  }),
  v.transform(withoutNulls),
  v.transform(withGroup),
);

const WebhookRow = v.pipe(
  v.object({
    url: v.string(),
    events: v.array(v.picklist(JOB_ENDS)),
    state: v.picklist(['waiting', 'pending', 'delivered', 'failed']),
    attempts: v.number(),
    lastStatus: Nullable,
  }),
  v.transform(withoutNulls),
);

const ParentList = v.pipe(
  v.string(),
  v.parseJson(),
  v.array(
    v.pipe(
      v.tuple([
        v.number(),
        v.string(),
        v.string(),
        v.number(),
        v.number(),
        v.number(),
        v.nullable(v.string()),
        Nullable,
      ]),
      v.transform(
        ([input, artifactId, name, width, height, createdSecs, jobId, image]): JobParent => ({
          input,
          artifactId,
          name,
          width,
          height,
          createdSecs,
          ...(jobId === null || image === null ? {} : { jobId, image }),
        }),
      ),
    ),
  ),
);

const KinRow = v.object({ id: v.string(), sequence: v.number(), parents: ParentList });

const MaskRow = v.pipe(
  v.object({
    sequence: v.number(),
    request: v.pipe(
      v.string(),
      v.parseJson(),
      v.object({ images: v.array(v.unknown()), mask: StoredInput }),
    ),
  }),
  v.transform(({ sequence, request: { images, mask } }): JobMask => {
    return { sequence, input: images.length, mask };
  }),
);

const { code: bridgeCode, suggestions, ...errorEntries } = FlatBridgeError.entries;

/**
 * An error in the format of earlier versions, which stored `bridge_ext.code` as the code. If several error codes have this
 * value, the first code is used.
 */
const EarlierError = v.pipe(
  v.strictObject({ ...errorEntries, code: bridgeCode, suggestions }),
  v.transform(
    ({ code, suggestions: _, ...facts }): StoredError => ({
      ...facts,
      code: GENERATION_ERRORS.find((known) => ERRORS[known].bridge === code) ?? 'internal',
    }),
  ),
);

const ErrorText = v.union([
  v.strictObject({ ...errorEntries, code: v.picklist(ERROR_CODES) }),
  EarlierError,
]);

/** The images that have marks. Null if there are none. */
const MarkedImages = v.pipe(
  v.string(),
  v.parseJson(),
  ImageJobSummary.entries.artifacts,
  v.transform((artifacts) => {
    const marked = artifacts.filter(hasMarks);
    return marked.length === 0 ? null : marked;
  }),
);

const RecordRow = v.pipe(
  v.object({
    ...factEntries,
    token: v.string(),
    provider: v.string(),
    requestId: v.string(),
    retryOf: v.nullable(v.string()),
    request: v.pipe(v.string(), v.parseJson(), JobRequest),
    result: v.nullable(v.pipe(v.string(), v.parseJson(), ImageResponse)),
    partialResult: v.nullable(v.pipe(v.string(), v.parseJson(), PartialResult)),
    parents: ParentList,
    marked: MarkedImages,
    error: v.nullable(v.pipe(v.string(), v.parseJson(), ErrorText)),
    webhook: v.nullable(v.pipe(v.string(), v.parseJson(), WebhookRow)),
  }),
  v.transform(withoutNulls),
  v.transform(withGroup),
);

const TotalRow = v.pipe(
  v.object(
    v.entriesFromList([...JOB_STATUSES, 'hidden', 'favorite', 'bytes', 'reserved'], v.number()),
  ),
  v.transform(
    ({ hidden, favorite, bytes, reserved, ...byStatus }): JobTotals => ({
      byStatus,
      hidden,
      favorite,
      logicalBytes: bytes,
      reservedBytes: reserved,
    }),
  ),
);

const CancellationRow = v.pipe(
  v.object({
    sequence: v.number(),
    id: v.string(),
    scope: v.string(),
    cancellation: v.pipe(
      v.string(),
      v.parseJson(),
      v.object({ error: ErrorText, inFlight: v.picklist(['stop', 'finish']) }),
    ),
  }),
  v.transform(({ cancellation, ...job }) => ({ ...job, ...cancellation })),
);

/** Parses a row. Throws if the row is invalid. */
export function parseCancellation(row: unknown): JobKey & JobCancellation {
  return v.parse(CancellationRow, row);
}

/** Parses the row of `job_total`. Throws if the row is invalid. */
export function parseTotals(row: unknown): JobTotals {
  return v.parse(TotalRow, row);
}

/** Parses a row. Throws if the row is invalid. */
export function parseSummary(row: unknown): JobSummary {
  return v.parse(SummaryRow, row);
}

/** Parses a row of `listKin`. Throws if the row is invalid. */
export function parseKin(row: unknown) {
  return v.parse(KinRow, row);
}

/** Parses the rows of `listMasks`. A row without a mask, or whose request is unreadable, is omitted. */
export function parseMasks(rows: readonly unknown[]): readonly JobMask[] {
  return rows.flatMap((row) => {
    const parsed = v.safeParse(MaskRow, row);
    return parsed.success ? [parsed.output] : [];
  });
}

/** Parses a row. Throws if the row is invalid. */
export function parseRecord(row: unknown): JobRecord {
  return v.parse(RecordRow, row);
}

/** Parses a row. Returns undefined if the row is invalid. */
export function parseReadable(row: unknown): JobRecord | undefined {
  const parsed = v.safeParse(RecordRow, row);
  return parsed.success ? parsed.output : undefined;
}
