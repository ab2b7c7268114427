import type { HttpClient } from '../../lib/net/http-client.ts';
import type { Clock } from '../../lib/platform/clock.ts';
import type { Task } from '../../lib/platform/task.ts';
import type { Coordination } from './coordination.ts';
import type { Slot, Target } from './coordination-file.ts';
import { getText } from './get-text.ts';

interface Deps {
  readonly coordination: Pick<Coordination, 'target'>;
  readonly origins: Readonly<Record<Slot, string>>;
  readonly client: Pick<HttpClient, 'request'>;
  readonly clock: Pick<Clock, 'after'>;
  readonly everyMs: number;
}

/**
 * Asks the active slot again and again whether it is ready. A request never waits for that. A slot that became active
 * counts as ready until it has been asked: who switches to it has asked already.
 */
export function createReadiness({ coordination, origins, client, clock, everyMs }: Deps) {
  let unready: Target | undefined = coordination.target();
  const task: Task = {
    name: 'slot_readiness',
    everyMs,
    async run(signal) {
      const target = coordination.target();
      if (target === 'hold') {
        unready = undefined;
        return;
      }
      const url = `${origins[target]}/health/ready`;
      const isReady = (await getText(url, { client, clock, signal })) !== undefined;
      unready = isReady ? undefined : target;
    },
  };
  return {
    task,
    /** Whether a request that came now would be held, or be sent to a slot that is not known to be unready. */
    isReady(): boolean {
      const target = coordination.target();
      return target === 'hold' || target !== unready;
    },
  };
}
