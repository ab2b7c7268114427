import type { ImageJob, ImageJobSummary } from '../../../lib/contract/resources/job.ts';
import type { Preset } from '../../../lib/contract/resources/preset.ts';
import type { ProviderDescriptor } from '../../../lib/contract/resources/provider.ts';
import type { QueueJob } from '../../../lib/contract/resources/queue.ts';
import type { UsageReport } from '../../../lib/contract/resources/usage.ts';
import type { Page } from '../../../lib/contract/schema/page.ts';
import { createJob, followJob } from '../../client/jobs.ts';
import { type Service, toTarget } from '../../client/service.ts';
import type { CommandIo } from '../command-io.ts';
import type { Call } from '../command-table/command.ts';
import type { JsonOption, ServiceOption } from '../command-table/options.ts';
import { printFields, printJson, printTable, reportJob, toDate } from '../print.ts';
import { printUsage } from '../print-usage.ts';
import { startProgress } from '../progress.ts';
import { withService } from '../with-service.ts';

/** A call of a command that sends requests to a running service. */
export type ServiceCall<Arguments = unknown, Options = unknown> = Call<
  Arguments,
  ServiceOption & JsonOption & Options
>;

/** The request of a command, and the view that shows the reply. */
export interface CommandRequest {
  /** The method and the path, such as `GET /v1/jobs/{id}`. The arguments of the command replace the names in braces. */
  readonly operation: string;
  /** The body, sent as JSON. */
  readonly body?: object | undefined;
  /** The query. Undefined values are omitted. */
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly shows?: keyof typeof VIEWS | undefined;
}

type Sent = Parameters<Service['json']>[1];

/** Sends the request to `target` and shows the reply. */
type View = (call: ServiceCall, service: Service, target: string, sent: Sent) => Promise<void>;

const VIEWS = {
  fields: view((reply: object) => reply, printFields),
  job: view((job: ImageJob) => job, printJob),
  newJob: async (call, service, target) => {
    show(await createJob(service, target, {}), printJob, call);
  },
  usage: view((report: UsageReport) => report, printUsage),
  jobs: table(['ID', 'CREATED', 'STATUS', 'IMAGES', 'PROMPT'], items<ImageJobSummary>, toJobRow),
  queueJobs: table(['ID', 'AGE', 'STATUS', 'OWNER'], items<QueueJob>, toQueueRow),
  presets: table(['NAME', 'UPDATED', 'DESCRIPTION'], items<Preset>, toPresetRow),
  providers: table(['NAME', 'DEFAULT', 'MODELS'], items<ProviderDescriptor>, toProviderRow),
  artifacts: table(['ID', 'SIZE', 'FORMAT', 'BYTES', 'JOB'], artifactsOf, toArtifactRow),
  head: async (call, service, target, sent) => {
    const { headers } = await service.reply(target, sent);
    const facts = {
      id: target.split('/').at(-1),
      type: headers.get('content-type'),
      bytes: Number(headers.get('content-length')),
      sha256: headers.get('etag')?.replaceAll('"', ''),
      name: /filename="([^"]*)"/.exec(headers.get('content-disposition') ?? '')?.[1],
    };
    show(facts, printFields, call);
  },
  nothing: async (_call, service, target, sent) => {
    await service.reply(target, sent);
  },
} as const satisfies Record<string, View>;

/** Runs a command that sends one request to a service and shows the reply. Resolves with the exit code. */
export function runRequest(
  call: ServiceCall<Readonly<Record<string, unknown>>>,
  { operation, body, query = {}, shows = 'fields' }: CommandRequest,
): Promise<number> {
  const { method, target } = toTarget(operation, call.args, query);
  return withService(call, async (service) => {
    await VIEWS[shows](call, service, target, { method, body });
    return 0;
  });
}

/** Waits for the end of a job. Resolves with the exit code: 1 if the job did not succeed. */
export function runJobsWait(call: ServiceCall<{ readonly id: string }>): Promise<number> {
  const { args, io } = call;
  return withService(call, async (service) => {
    const progress = startProgress({ isQuiet: false }, io);
    const { signal } = new AbortController();
    const job = await followJob(service, args.id, progress.onEvent, signal).finally(progress.end);
    if (job.status !== 'succeeded') return reportJob(job, io);
    show(job, printJob, call);
    return 0;
  });
}

/** Prints a reply: as JSON with `--json`, with `print` without it. */
export function show<T>(
  reply: T,
  print: (reply: T, io: CommandIo) => void,
  { options, io }: ServiceCall,
) {
  if (options.json) printJson(reply, io);
  else print(reply, io);
}

/** Creates a view of the part of the reply that `pick` returns. */
function view<T, Shown>(
  pick: (reply: T) => Shown,
  print: (shown: Shown, io: CommandIo) => void,
): View {
  return async (call, service, target, sent) =>
    show(pick(await service.json<T>(target, sent)), print, call);
}

function table<T, Item>(
  headings: readonly string[],
  pick: (reply: T) => readonly Item[],
  toRow: (item: Item) => readonly string[],
): View {
  return view(pick, (shown, io) => printTable(headings, shown.map(toRow), io));
}

function items<T>(page: Page<T>): readonly T[] {
  return page.items;
}

function artifactsOf(page: Page<ImageJobSummary>) {
  return page.items.flatMap(({ id: job, prompt, artifacts }) =>
    artifacts.map((artifact) => ({ ...artifact, job, prompt })),
  );
}

function toArtifactRow({
  id,
  width,
  height,
  format,
  bytes,
  job,
}: ReturnType<typeof artifactsOf>[0]) {
  return [id, `${width}x${height}`, format, String(bytes), job];
}

function toPresetRow({ name, updated, description = '' }: Preset): readonly string[] {
  return [name, toDate(updated), description];
}

function toProviderRow(provider: ProviderDescriptor): readonly string[] {
  return [provider.name, provider.default ? 'yes' : '', provider.models.join(' ')];
}

function toJobRow(job: ImageJobSummary): readonly string[] {
  const status = job.error_code === undefined ? job.status : `${job.status} (${job.error_code})`;
  const prompt = job.prompt.length > 60 ? `${job.prompt.slice(0, 59)}…` : job.prompt;
  const images = `${job.artifacts.length}/${job.outputs}`;
  return [job.id, toDate(job.created), status, images, `${job.favorite ? '★ ' : ''}${prompt}`];
}

function toQueueRow({ id, age_ms, status, cancel_requested, owner }: QueueJob): readonly string[] {
  const shown = cancel_requested && status === 'running' ? 'running (cancelling)' : status;
  return [id, `${Math.round(age_ms / 1000)} s`, shown, owner ?? ''];
}

/** Prints the fields of a job. */
export function printJob(job: ImageJob, io: CommandIo): void {
  const {
    request,
    result,
    partial_result,
    error,
    webhook,
    labels,
    group,
    derived_from,
    ...fields
  } = job;
  printFields({ ...fields, prompt: request.prompt }, io);
  for (const label of labels ?? []) printFields({ label }, io);
  if (group) printFields({ group: `${group.id}, row ${group.row}, column ${group.column}` }, io);
  for (const { job_id, name } of derived_from ?? []) {
    printFields({ 'derived from': job_id === undefined ? name : `${name} of job ${job_id}` }, io);
  }
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
