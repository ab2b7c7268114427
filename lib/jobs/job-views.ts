import type { ImageJob, ImageJobSummary } from '../contract/resources/job.ts';
import { fromStoredError, toFlatError } from '../errors/error-body.ts';
import type { JobRecord, JobSummary } from './job-store-port.ts';
import type { JobProgress } from './live-jobs.ts';

/** Converts a job to the form of the API, with all its details. */
export function toImageJob(record: JobRecord, progress: JobProgress | undefined): ImageJob {
  const { request, retryOf, result, partialResult, error } = record;
  return {
    ...toShared(record, progress),
    request,
    ...(retryOf === undefined ? {} : { retry_of: retryOf }),
    ...(result === undefined ? {} : { result }),
    ...(partialResult === undefined ? {} : { partial_result: partialResult }),
    ...(error === undefined ? {} : { error: toFlatError(fromStoredError(error)) }),
    ...toWebhookView(record),
  };
}

function toWebhookView({ webhook, completedSecs }: JobRecord): Pick<ImageJob, 'webhook'> {
  if (!webhook) return {};
  const { state, attempts, lastStatus } = webhook;
  // The job has ended with a status that is not in the `events` of the webhook, so nothing will be sent.
  if (state === 'waiting' && completedSecs !== undefined) return {};
  return {
    webhook: {
      status: state === 'waiting' ? 'pending' : state,
      attempts,
      ...(lastStatus === undefined ? {} : { last_status: lastStatus }),
    },
  };
}

/** Converts a summary to the form that is used in lists of the API. */
export function toImageJobSummary(
  summary: JobSummary,
  progress: JobProgress | undefined,
): ImageJobSummary {
  const { operation, prompt, provider, model, outputs, size, inputs, errorCode, artifacts } =
    summary;
  return {
    ...toShared(summary, progress),
    operation,
    prompt,
    provider,
    ...(model === undefined ? {} : { model }),
    outputs,
    size,
    inputs,
    ...(errorCode === undefined ? {} : { error_code: errorCode }),
    artifacts,
  };
}

function toShared(
  job: Omit<JobRecord, 'requestId' | 'token' | 'request' | 'provider'>,
  progress?: JobProgress,
) {
  const { id, status, startedSecs, completedSecs, deletedSecs } = job;
  return {
    id,
    status,
    created: job.createdSecs,
    updated: job.updatedSecs,
    ...(startedSecs === undefined ? {} : { started: startedSecs }),
    ...(completedSecs === undefined ? {} : { completed: completedSecs }),
    cancel_requested: job.cancelRequested,
    ...(job.priority === 0 ? {} : { priority: job.priority }),
    favorite: job.favorite,
    ...(deletedSecs === undefined ? {} : { deleted: deletedSecs }),
    // The progress is omitted for an ended job.
    ...(progress === undefined || completedSecs !== undefined ? {} : { progress }),
  };
}
