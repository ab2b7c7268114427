import type { ImageJob, ImageJobSummary } from '../../../lib/contract/resources/job.ts';
import type { Page } from '../../../lib/contract/schema/page.ts';
import { followJob, retryJob } from '../../client/jobs.ts';
import { type Service, toQuery } from '../../client/service.ts';
import type { CommandIo } from '../command-io.ts';
import type { Call } from '../command-table/command.ts';
import type { JsonOption, ServiceOption } from '../command-table/options.ts';
import { printFields, printJson, printTable, reportJob, toDate } from '../print.ts';
import { startProgress } from '../progress.ts';
import { withService } from '../with-service.ts';

interface ListOptions extends ServiceOption, JsonOption {
  readonly limit: number | undefined;
  readonly status: string | undefined;
  readonly search: string | undefined;
  readonly query: string | undefined;
  readonly favorite: boolean;
  readonly hidden: boolean;
}

type JobCall = Call<{ readonly id: string }, ServiceOption & JsonOption>;

/** Runs `image-bridge jobs list`. Resolves with the exit code. */
export function runJobsList({ options, io }: Call<unknown, ListOptions>): Promise<number> {
  return withService({ options, io }, async (service) => {
    const { limit, status, search, query: q, hidden, json } = options;
    const visibility = hidden ? 'hidden' : undefined;
    const favorite = options.favorite || undefined;
    const query = toQuery({ limit, status, search, q, visibility, favorite });
    const { items } = await service.json<Page<ImageJobSummary>>(`/v1/jobs${query}`);
    if (json) printJson(items, io);
    else printTable(['ID', 'CREATED', 'STATUS', 'IMAGES', 'PROMPT'], items.map(toRow), io);
    return 0;
  });
}

function toRow(job: ImageJobSummary): readonly string[] {
  const status = job.error_code === undefined ? job.status : `${job.status} (${job.error_code})`;
  const prompt = job.prompt.length > 60 ? `${job.prompt.slice(0, 59)}…` : job.prompt;
  const images = `${job.artifacts.length}/${job.outputs}`;
  return [job.id, toDate(job.created), status, images, `${job.favorite ? '★ ' : ''}${prompt}`];
}

/** Runs `image-bridge jobs show`. Resolves with the exit code. */
export function runJobsShow(call: JobCall): Promise<number> {
  return withService(call, async (service) => {
    print(await service.json<ImageJob>(pathOf(call)), call);
    return 0;
  });
}

/** Runs `image-bridge jobs wait`. Resolves with the exit code: 1 if the job did not succeed. */
export function runJobsWait(call: JobCall): Promise<number> {
  const { args, io } = call;
  return withService(call, async (service) => {
    const progress = startProgress({ isQuiet: false }, io);
    const { signal } = new AbortController();
    const job = await followJob(service, args.id, progress.onEvent, signal).finally(progress.end);
    if (job.status !== 'succeeded') return reportJob(job, io);
    print(job, call);
    return 0;
  });
}

/** Runs `image-bridge jobs cancel`. Resolves with the exit code. */
export function runJobsCancel(call: JobCall): Promise<number> {
  return change(call, (service) => service.json(pathOf(call), { method: 'DELETE' }));
}

/** Runs `image-bridge jobs retry`, which prints the new job. Resolves with the exit code. */
export function runJobsRetry(call: JobCall): Promise<number> {
  return change(call, (service) => retryJob(service, pathOf(call)));
}

export const runJobsFavorite = patch({ favorite: true });
export const runJobsUnfavorite = patch({ favorite: false });
export const runJobsHide = patch({ deleted: true });
export const runJobsRestore = patch({ deleted: false });

function patch(body: { readonly favorite: boolean } | { readonly deleted: boolean }) {
  return (call: JobCall): Promise<number> =>
    change(call, (service) => service.json(pathOf(call), { method: 'PATCH', body }));
}

async function change(
  call: JobCall,
  send: (service: Service) => Promise<ImageJob>,
): Promise<number> {
  return withService(call, async (service) => {
    print(await send(service), call);
    return 0;
  });
}

function print(job: ImageJob, { options, io }: { options: JsonOption; io: CommandIo }): void {
  if (options.json) {
    printJson(job, io);
    return;
  }
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
