import type { Queue, QueueJob } from '../../../lib/contract/resources/queue.ts';
import type { Page } from '../../../lib/contract/schema/page.ts';
import { toQuery } from '../../client/service.ts';
import type { Call } from '../command-table/command.ts';
import type { JsonOption, ServiceOption } from '../command-table/options.ts';
import { printFields, printJson, printTable } from '../print.ts';
import { withService } from '../with-service.ts';

type QueueCall = Call<unknown, ServiceOption & JsonOption>;
type QueueJobsCall = Call<
  unknown,
  ServiceOption & JsonOption & { readonly limit: number | undefined }
>;
type QueueJobCall = Call<{ readonly id: string }, ServiceOption & JsonOption>;

/** Runs `image-bridge queue show`. Resolves with the exit code. */
export function runQueueShow(call: QueueCall): Promise<number> {
  return request(call, {});
}

/** Runs `image-bridge queue pause`. Resolves with the exit code. */
export function runQueuePause(call: QueueCall): Promise<number> {
  return request(call, { method: 'PATCH', body: { paused: true } });
}

/** Runs `image-bridge queue resume`. Resolves with the exit code. */
export function runQueueResume(call: QueueCall): Promise<number> {
  return request(call, { method: 'PATCH', body: { paused: false } });
}

/** Runs `image-bridge queue jobs`. Resolves with the exit code. */
export function runQueueJobs({ options, io }: QueueJobsCall): Promise<number> {
  return withService({ options, io }, async (service) => {
    const query = toQuery({ limit: options.limit });
    const { items } = await service.json<Page<QueueJob>>(`/v1/queue/jobs${query}`);
    if (options.json) printJson(items, io);
    else printTable(['ID', 'AGE', 'STATUS', 'OWNER'], items.map(toRow), io);
    return 0;
  });
}

/** Runs `image-bridge queue cancel`. Resolves with the exit code. */
export function runQueueCancel({ args, options, io }: QueueJobCall): Promise<number> {
  return withService({ options, io }, async (service) => {
    const path = `/v1/queue/jobs/${encodeURIComponent(args.id)}`;
    const job = await service.json<QueueJob>(path, { method: 'DELETE' });
    if (options.json) printJson(job, io);
    else printFields(job, io);
    return 0;
  });
}

function toRow({ id, age_ms, status, cancel_requested, owner }: QueueJob): readonly string[] {
  const shown = cancel_requested && status === 'running' ? 'running (cancelling)' : status;
  return [id, `${Math.round(age_ms / 1000)} s`, shown, owner ?? ''];
}

function request(
  { options, io }: QueueCall,
  sent: { readonly method?: 'PATCH'; readonly body?: object },
): Promise<number> {
  return withService({ options, io }, async (service) => {
    const queue = await service.json<Queue>('/v1/queue', sent);
    if (options.json) printJson(queue, io);
    else printFields(queue, io);
    return 0;
  });
}
