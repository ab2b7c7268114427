import type { HttpClient } from '../../lib/net/http-client.ts';
import { readWhole } from '../../lib/net/response-body.ts';
import type { Clock } from '../../lib/platform/clock.ts';
import { linkSignal } from '../../lib/platform/linked-signal.ts';
import type { Task } from '../../lib/platform/task.ts';
import type { Coordination, Slot, Target } from './coordination.ts';

interface Deps {
  readonly coordination: Pick<Coordination, 'target'>;
  readonly origins: Readonly<Record<Slot, string>>;
  readonly client: Pick<HttpClient, 'request'>;
  readonly clock: Pick<Clock, 'after'>;
  readonly everyMs: number;
}

/**
 * Probes the readiness of the active slot at an interval. Requests never wait for a probe. A slot that has just become active
 * counts as ready until its first probe, because the handoff has already checked its readiness.
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
    /** Returns true if a new request would be held, or would be sent to a slot whose latest probe has not failed. */
    isReady(): boolean {
      const target = coordination.target();
      return target === 'hold' || target !== unready;
    },
  };
}

const REPLY_MS = 5000;
const MAX_BODY_BYTES = 65_536;

/**
 * Sends a GET request and resolves with the body if the status is 200. Resolves with undefined for any other reply, after a
 * failure, and after five seconds.
 */
export async function getText(
  url: string,
  { client, clock, signal }: Pick<Deps, 'client' | 'clock'> & { readonly signal: AbortSignal },
): Promise<string | undefined> {
  const ending = linkSignal(signal);
  const cancel = clock.after(REPLY_MS, () => ending.abort(new Error('no reply in time')));
  try {
    const request = { method: 'GET', headers: {}, signal: ending.signal } as const;
    const { status, body } = await client.request(url, request);
    const bytes = await readWhole(body, MAX_BODY_BYTES);
    return status === 200 ? bytes?.toString('utf8') : undefined;
  } catch {
    return undefined;
  } finally {
    cancel();
    ending.end();
  }
}
