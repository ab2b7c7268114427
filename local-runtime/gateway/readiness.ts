import type { HttpClient } from '../../lib/net/http-client.ts';
import type { Clock } from '../../lib/platform/clock.ts';
import type { Task } from '../../lib/platform/task.ts';
import type { Coordination } from './coordination.ts';
import type { Slot } from './coordination-file.ts';
import { getText } from './get-text.ts';

interface Deps {
  readonly coordination: Pick<Coordination, 'target'>;
  readonly origins: Readonly<Record<Slot, string>>;
  readonly client: Pick<HttpClient, 'request'>;
  readonly clock: Pick<Clock, 'after'>;
  readonly everyMs: number;
}

/** Asks the active slot again and again whether it is ready. A request never waits for that. */
export function createReadiness({ coordination, origins, client, clock, everyMs }: Deps) {
  let ready: Slot | undefined;
  const task: Task = {
    name: 'slot_readiness',
    everyMs,
    async run(signal) {
      const target = coordination.target();
      if (target === 'hold') return;
      const url = `${origins[target]}/health/ready`;
      const isReady = (await getText(url, { client, clock, signal })) !== undefined;
      ready = isReady ? target : undefined;
    },
  };
  return {
    task,
    /** Whether a request that came now would be held, or be sent to a slot that was ready. */
    isReady(): boolean {
      const target = coordination.target();
      return target === 'hold' || target === ready;
    },
  };
}
