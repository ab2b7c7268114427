import * as v from 'valibot';
import { FlatBridgeError } from '../../../contract/reply/error.ts';
import { ImageResponse } from '../../../contract/reply/image-response.ts';
import {
  ImageJobSummary,
  JOB_ENDS,
  JOB_STATUSES,
  JobRequest,
  PartialResult,
} from '../../../contract/resources/job.ts';
import { ERROR_CODES, ERRORS, GENERATION_ERRORS } from '../../../errors/codes.ts';
import type { StoredError } from '../../../errors/error-body.ts';
import type { JobRecord, JobSummary } from '../../../jobs/job-store-port.ts';
import type { WebhookRecord } from '../../../webhooks/webhook-store-port.ts';

const FACTS = `
  job.seq, id, scope, status, priority, favorite, deleted, cancel_requested, created, updated, started, completed`;

/** The columns of `job` that `parseSummary` reads. */
export const SUMMARY_COLUMNS = `${FACTS},
  operation, provider, model, outputs, size, inputs, error_code, artifacts, substr(prompt, 1, 256) AS prompt`;

/** The columns of `job` and `job_content` that `parseRecord` reads. */
export const RECORD_COLUMNS = `${FACTS},
  token, provider, request_id, retry_of, request, result, partial_result, error,
  (SELECT json_object(
      'url', url, 'events', json(events), 'state', state, 'attempts', attempts,
      'last_status', last_status
    ) FROM webhook WHERE webhook.seq = job.seq) AS webhook`;

/**
 * The estimated bytes of a job's rows without the texts: the small columns, the index entries and a share of the page overhead.
 */
export const ROW_BYTES = 512;

const Flag = v.pipe(
  v.picklist([0, 1]),
  v.transform((flag) => flag === 1),
);
const Nullable = v.nullable(v.number());

const factEntries = {
  seq: v.number(),
  id: v.string(),
  scope: v.string(),
  status: v.picklist(JOB_STATUSES),
  priority: v.number(),
  favorite: Flag,
  deleted: Nullable,
  cancel_requested: Flag,
  created: v.number(),
  updated: v.number(),
  started: Nullable,
  completed: Nullable,
};

const FactRow = v.object(factEntries);

const SummaryRow = v.object({
  ...factEntries,
  operation: ImageJobSummary.entries.operation,
  provider: v.string(),
  model: v.nullable(v.string()),
  outputs: v.number(),
  size: v.string(),
  inputs: v.number(),
  error_code: v.nullable(FlatBridgeError.entries.code),
  artifacts: v.pipe(v.string(), v.parseJson(), ImageJobSummary.entries.artifacts),
  prompt: v.string(),
});

const WebhookRow = v.pipe(
  v.object({
    url: v.string(),
    events: v.array(v.picklist(JOB_ENDS)),
    state: v.picklist(['waiting', 'pending', 'delivered', 'failed']),
    attempts: v.number(),
    last_status: Nullable,
  }),
  v.transform(
    ({ last_status, ...row }): WebhookRecord => ({
      ...row,
      ...(last_status === null ? {} : { lastStatus: last_status }),
    }),
  ),
);

const { code: bridgeCode, suggestions, ...errorEntries } = FlatBridgeError.entries;

/**
 * An error in the format of earlier versions, which stored `bridge_ext.code` as the code. If several codes share this value,
 * the first is used.
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

const RecordRow = v.object({
  ...factEntries,
  token: v.string(),
  provider: v.string(),
  request_id: v.string(),
  retry_of: v.nullable(v.string()),
  request: v.pipe(v.string(), v.parseJson(), JobRequest),
  result: v.nullable(v.pipe(v.string(), v.parseJson(), ImageResponse)),
  partial_result: v.nullable(v.pipe(v.string(), v.parseJson(), PartialResult)),
  error: v.nullable(v.pipe(v.string(), v.parseJson(), ErrorText)),
  webhook: v.nullable(v.pipe(v.string(), v.parseJson(), WebhookRow)),
});

/** Parses a row. Throws if the row is invalid. */
export function parseSummary(row: unknown): JobSummary {
  const summary = v.parse(SummaryRow, row);
  const { operation, provider, outputs, size, inputs, artifacts, prompt } = summary;
  return {
    ...toFacts(summary),
    operation,
    provider,
    outputs,
    size,
    inputs,
    artifacts,
    prompt,
    ...(summary.model === null ? {} : { model: summary.model }),
    ...(summary.error_code === null ? {} : { errorCode: summary.error_code }),
  };
}

/** Parses a row. Throws if the row is invalid. */
export function parseRecord(row: unknown): JobRecord {
  const record = v.parse(RecordRow, row);
  return {
    ...toFacts(record),
    requestId: record.request_id,
    token: record.token,
    provider: record.provider,
    request: record.request,
    ...(record.retry_of === null ? {} : { retryOf: record.retry_of }),
    ...(record.result === null ? {} : { result: record.result }),
    ...(record.partial_result === null ? {} : { partialResult: record.partial_result }),
    ...(record.error === null ? {} : { error: record.error }),
    ...(record.webhook === null ? {} : { webhook: record.webhook }),
  };
}

function toFacts({
  seq,
  id,
  scope,
  status,
  priority,
  favorite,
  ...row
}: v.InferOutput<typeof FactRow>) {
  return {
    sequence: seq,
    id,
    scope,
    status,
    priority,
    favorite,
    cancelRequested: row.cancel_requested,
    createdSecs: row.created,
    updatedSecs: row.updated,
    ...(row.started === null ? {} : { startedSecs: row.started }),
    ...(row.completed === null ? {} : { completedSecs: row.completed }),
    ...(row.deleted === null ? {} : { deletedSecs: row.deleted }),
  };
}
