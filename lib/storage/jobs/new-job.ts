import type { JobRecord, NewJob } from '../../jobs/job-store-port.ts';
import { ROW_BYTES } from './job-rows.ts';

/** Returns the request in JSON, and the size of the job in bytes. */
export function textOf({
  request,
  labels,
  webhook,
}: Pick<NewJob, 'request' | 'labels' | 'webhook'>) {
  const text = JSON.stringify(request);
  const texts = [text, request.prompt, webhook?.url ?? ''];
  const bytes = texts.reduce((sum, one) => sum + Buffer.byteLength(one), ROW_BYTES);
  return { text, bytes: bytes + labelBytes(labels) };
}

/** Returns the part of a job's size that its labels have. */
function labelBytes(labels: readonly string[]): number {
  return labels.length === 0 ? 0 : Buffer.byteLength(JSON.stringify(labels)) - '[]'.length;
}

/** Returns the record of a job that was just accepted. `token` is the identity of the token that submitted the job. */
export function queuedJob(sequence: number, job: NewJob, token: string): JobRecord {
  const { model: _, size: __, reservedBytes: ___, group, webhook, ...facts } = job;
  return {
    ...facts,
    sequence,
    token,
    status: 'queued',
    updatedSecs: job.createdSecs,
    cancelRequested: false,
    favorite: false,
    ...(group && { group }),
    ...(webhook && { webhook: { ...webhook, state: 'waiting', attempts: 0 } }),
  };
}
