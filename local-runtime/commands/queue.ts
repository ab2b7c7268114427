import type { Queue } from '../../lib/contract/resources/queue.ts';
import { printFields, printJson } from '../client/print.ts';
import { withService } from '../client/with-service.ts';
import type { Call } from '../command-table/command.ts';
import type { JsonOption } from '../command-table/configuration-options.ts';
import type { ServiceOption } from '../command-table/service-options.ts';

type QueueCall = Call<unknown, ServiceOption & JsonOption>;

/** `image-bridge queue show`. Resolves to the exit code. */
export function runQueueShow(call: QueueCall): Promise<number> {
  return request(call, {});
}

/** `image-bridge queue pause`. Resolves to the exit code. */
export function runQueuePause(call: QueueCall): Promise<number> {
  return request(call, { method: 'PATCH', body: { paused: true } });
}

/** `image-bridge queue resume`. Resolves to the exit code. */
export function runQueueResume(call: QueueCall): Promise<number> {
  return request(call, { method: 'PATCH', body: { paused: false } });
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
