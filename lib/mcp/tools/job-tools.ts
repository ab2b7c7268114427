import * as v from 'valibot';
import { ModelName } from '../../contract/request/routing.ts';
import {
  type ImageJob,
  type ImageJobSummary,
  isTerminal,
  JOB_STATUSES,
  type JobPage,
} from '../../contract/resources/job.ts';
import {
  JOB_SIZE,
  JobSizeText,
  MODEL,
  OPERATION,
  OPERATIONS,
} from '../../contract/resources/job-filter.ts';
import { Label } from '../../contract/resources/label.ts';
import { SEARCH_QUERY } from '../../contract/resources/search-terms.ts';
import { documented, storableText } from '../../contract/schema/fields.ts';
import { ShortText, text } from '../../contract/schema/text.ts';
import { toJobResult } from '../job-result.ts';
import { MAX_WAIT_S, waitForJob } from '../run-job.ts';
import { textResult, tool } from '../tool.ts';

export const getJob = tool({
  name: 'get_job',
  title: 'Get a job',
  description:
    'Returns the state of a job, with previews of its images if the job succeeded, or with the error if the job failed. Can wait for the job to end. Example: {"id": "0199f0a0-0000-7000-8000-000000000001", "wait_seconds": 30}',
  input: v.strictObject({
    id: documented(ShortText, 'The id of the job.'),
    wait_seconds: documented(
      v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(MAX_WAIT_S)), 0),
      'The maximum time to wait for the job to end, in seconds.',
    ),
  }),
  isReadOnly: true,
  async run({ id, wait_seconds }, context) {
    const { api, signal } = context;
    const job = await api.json<ImageJob>('GET /v1/jobs/{id}', { path: { id }, signal });
    return toJobResult(await waitForJob(job, wait_seconds, context), context);
  },
});

const Time = v.pipe(ShortText, v.isoTimestamp());

function toSecs(time: string): number {
  return Math.floor(Date.parse(time) / 1000);
}

export const listJobs = tool({
  name: 'list_jobs',
  title: 'List jobs',
  description:
    'Lists the jobs of this caller, newest first, with the ids of their images. Example: {"q": "lighthouse -night", "limit": 5}',
  input: v.strictObject({
    limit: documented(
      v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(50)), 10),
      'The maximum number of jobs to return.',
    ),
    status: documented(v.optional(v.picklist(JOB_STATUSES)), 'Only jobs with this status.'),
    search: documented(v.optional(storableText(256)), 'Only jobs whose prompt contains this text.'),
    q: documented(v.optional(storableText(256)), SEARCH_QUERY),
    label: documented(v.optional(Label), 'Only jobs with this label.'),
    model: documented(v.optional(ModelName), MODEL),
    size: documented(v.optional(JobSizeText), JOB_SIZE),
    operation: documented(v.optional(v.picklist(OPERATIONS)), OPERATION),
    created_after: documented(
      v.optional(Time),
      'Only jobs that were accepted at this time or later, such as 2026-11-28T18:30:00Z.',
    ),
    created_before: documented(v.optional(Time), 'Only jobs that were accepted before this time.'),
    cursor: documented(
      v.optional(text({ maxLength: 1024 })),
      'The cursor at the end of the previous page.',
    ),
  }),
  isReadOnly: true,
  async run({ created_after, created_before, ...filter }, { api, signal }) {
    const query = {
      ...filter,
      ...(created_after !== undefined && { created_after: toSecs(created_after) }),
      ...(created_before !== undefined && { created_before: toSecs(created_before) }),
    };
    const { items, next_cursor } = await api.json<JobPage>('GET /v1/jobs', { query, signal });
    if (items.length === 0) return textResult('No jobs found.');
    const more = next_cursor === undefined ? [] : [`More: call again with cursor ${next_cursor}`];
    return textResult(...items.map(lineOf), ...more);
  },
});

function lineOf({ id, status, prompt, created, artifacts, error_code }: ImageJobSummary): string {
  const images = artifacts.map(({ id: image, width, height }) => `${image} (${width}x${height})`);
  const outcome = images.length > 0 ? `images ${images.join(', ')}` : (error_code ?? 'no images');
  const at = new Date(created * 1000).toISOString();
  return `${id} ${status}, ${at}: ${JSON.stringify(prompt)}; ${outcome}`;
}

export const cancelJob = tool({
  name: 'cancel_job',
  title: 'Cancel a job',
  description:
    'Cancels a job that has not ended. Work that a provider has started may still be charged. Example: {"id": "0199f0a0-0000-7000-8000-000000000001"}',
  input: v.strictObject({ id: documented(ShortText, 'The id of the job.') }),
  isReadOnly: false,
  async run({ id }, { api, signal }) {
    const job = await api.json<ImageJob>('DELETE /v1/jobs/{id}', { path: { id }, signal });
    return textResult(
      isTerminal(job.status)
        ? `Job ${id} has ended: ${job.status}.`
        : `Job ${id} is being cancelled.`,
    );
  },
});
