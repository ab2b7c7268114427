import type { Queue, QueueJob } from '../../../lib/contract/resources/queue.ts';
import { toQuery } from '../../client/service.ts';
import type { Call } from '../command-table/command.ts';
import type { LimitOption } from '../command-table/options.ts';
import { asTable, itemsAt, type ShowOptions, showReply } from '../show-reply.ts';

type QueueCall<Arguments = unknown> = Call<Arguments, ShowOptions>;

/** Runs `image-bridge queue show`. Resolves with the exit code. */
export function runQueueShow(call: QueueCall): Promise<number> {
  return showReply(call, (service) => service.json<Queue>('/v1/queue'));
}

/** Runs `image-bridge queue pause`. Resolves with the exit code. */
export function runQueuePause(call: QueueCall): Promise<number> {
  return change(call, { paused: true });
}

/** Runs `image-bridge queue resume`. Resolves with the exit code. */
export function runQueueResume(call: QueueCall): Promise<number> {
  return change(call, { paused: false });
}

function change(call: QueueCall, body: { readonly paused: boolean }): Promise<number> {
  return showReply(call, (service) => service.json<Queue>('/v1/queue', { method: 'PATCH', body }));
}

/** Runs `image-bridge queue jobs`. Resolves with the exit code. */
export function runQueueJobs(call: Call<unknown, ShowOptions & LimitOption>): Promise<number> {
  const { limit } = call.options;
  const items = itemsAt<QueueJob>(`/v1/queue/jobs${toQuery({ limit })}`);
  return showReply(call, items, asTable(['ID', 'AGE', 'STATUS', 'OWNER'], toRow));
}

function toRow({ id, age_ms, status, cancel_requested, owner }: QueueJob): readonly string[] {
  const shown = cancel_requested && status === 'running' ? 'running (cancelling)' : status;
  return [id, `${Math.round(age_ms / 1000)} s`, shown, owner ?? ''];
}

/** Runs `image-bridge queue cancel`. Resolves with the exit code. */
export function runQueueCancel(call: QueueCall<{ readonly id: string }>): Promise<number> {
  const path = `/v1/queue/jobs/${encodeURIComponent(call.args.id)}`;
  return showReply(call, (service) => service.json<QueueJob>(path, { method: 'DELETE' }));
}
