import type { ImageJob, ImageJobSummary } from '../../../lib/contract/resources/job.ts';
import { followJob, retryJob } from '../../client/jobs.ts';
import { type Service, toQuery } from '../../client/service.ts';
import type { CommandIo } from '../command-io.ts';
import type { Call } from '../command-table/command.ts';
import type { JobFilters, LimitOption } from '../command-table/options.ts';
import { printFields, reportJob, toDate } from '../print.ts';
import { startProgress } from '../progress.ts';
import { asTable, itemsAt, printReply, type ShowOptions, showReply } from '../show-reply.ts';
import { withService } from '../with-service.ts';

type JobCall = Call<{ readonly id: string }, ShowOptions>;

/** Runs `image-bridge jobs list`. Resolves with the exit code. */
export function runJobsList(
  call: Call<unknown, ShowOptions & LimitOption & JobFilters>,
): Promise<number> {
  const { limit, status, search, query: q, hidden, favorite } = call.options;
  const query = toQuery({
    ...{ limit, status, search, q },
    visibility: hidden ? 'hidden' : undefined,
    favorite: favorite || undefined,
  });
  const items = itemsAt<ImageJobSummary>(`/v1/jobs${query}`);
  return showReply(call, items, asTable(['ID', 'CREATED', 'STATUS', 'IMAGES', 'PROMPT'], toRow));
}

function toRow(job: ImageJobSummary): readonly string[] {
  const status = job.error_code === undefined ? job.status : `${job.status} (${job.error_code})`;
  const prompt = job.prompt.length > 60 ? `${job.prompt.slice(0, 59)}…` : job.prompt;
  const images = `${job.artifacts.length}/${job.outputs}`;
  return [job.id, toDate(job.created), status, images, `${job.favorite ? '★ ' : ''}${prompt}`];
}

/** Runs `image-bridge jobs show`. Resolves with the exit code. */
export function runJobsShow(call: JobCall): Promise<number> {
  return show(call, (service) => service.json(pathOf(call)));
}

/** Runs `image-bridge jobs wait`. Resolves with the exit code: 1 if the job did not succeed. */
export function runJobsWait(call: JobCall): Promise<number> {
  const { args, io } = call;
  return withService(call, async (service) => {
    const progress = startProgress({ isQuiet: false }, io);
    const { signal } = new AbortController();
    const job = await followJob(service, args.id, progress.onEvent, signal).finally(progress.end);
    if (job.status !== 'succeeded') return reportJob(job, io);
    printReply(job, call, printJob);
    return 0;
  });
}

/** Runs `image-bridge jobs cancel`. Resolves with the exit code. */
export function runJobsCancel(call: JobCall): Promise<number> {
  return show(call, (service) => service.json(pathOf(call), { method: 'DELETE' }));
}

/** Runs `image-bridge jobs retry`, which prints the new job. Resolves with the exit code. */
export function runJobsRetry(call: JobCall): Promise<number> {
  return show(call, (service) => retryJob(service, pathOf(call)));
}

export const runJobsFavorite = patch({ favorite: true });
export const runJobsUnfavorite = patch({ favorite: false });
export const runJobsHide = patch({ deleted: true });
export const runJobsRestore = patch({ deleted: false });

function patch(body: { readonly favorite: boolean } | { readonly deleted: boolean }) {
  return (call: JobCall): Promise<number> =>
    show(call, (service) => service.json(pathOf(call), { method: 'PATCH', body }));
}

function show(call: JobCall, request: (service: Service) => Promise<ImageJob>): Promise<number> {
  return showReply(call, request, printJob);
}

function printJob(job: ImageJob, io: CommandIo): void {
  const { request, result, partial_result, error, webhook, ...fields } = job;
  printFields({ ...fields, prompt: request.prompt }, io);
  if (webhook) printFields({ webhook: toDelivery(webhook) }, io);
  if (error) printFields({ error: error.message }, io);
  for (const image of (result ?? partial_result)?.data ?? []) {
    if (image.type === 'artifact') printFields({ artifact: `${image.id} ${image.name}` }, io);
  }
}

function toDelivery({ status, attempts, last_status }: NonNullable<ImageJob['webhook']>): string {
  const reply = last_status === undefined ? '' : `, last status ${last_status}`;
  return `${status}, attempts ${attempts}${reply}`;
}

function pathOf({ args: { id } }: JobCall): string {
  return `/v1/jobs/${encodeURIComponent(id)}`;
}
