import { effect, type ReadonlySignal, signal } from '@preact/signals';
import { type Api, unwrap } from '../api/api.ts';
import type { Queue } from '../api/schemas.ts';
import type { Connection } from '../connection/connection.ts';
import type { DiagnosticsSource } from '../diagnostics/diagnostics.ts';
import type { Jobs } from '../jobs/jobs.ts';

interface Deps {
  readonly api: Api;
  readonly connection: Connection;
  readonly jobs: Jobs;
  readonly diagnostics: DiagnosticsSource;
}

/**
 * The queue of all jobs: read when jobs begin to wait, when the bridge is back, and as often as its state is. Unknown where
 * the token may not read it.
 */
export function createQueue({ api, connection, jobs, diagnostics }: Deps) {
  const latest = signal<Queue | undefined>(undefined);
  const waiting = () => [...jobs.open.value.values()].filter(({ status }) => status === 'queued');
  let hadWaiting = false;
  let current: Promise<void> | undefined;
  /** How often it was changed from here: a reply that was asked for before a change is older than that. */
  let changes = 0;

  async function readOnce(): Promise<void> {
    const before = changes;
    const queue = await unwrap(api.GET('/v1/queue')).catch(() => undefined);
    if (changes === before) latest.value = queue;
  }

  function read(): Promise<void> {
    current ??= readOnce().finally(() => {
      current = undefined;
    });
    return current;
  }

  effect(() => {
    const hasWaiting = waiting().length > 0;
    if (hasWaiting && !hadWaiting) void read();
    hadWaiting = hasWaiting;
  });
  effect(() => {
    void [connection.returns.value, diagnostics.latest.value];
    void read();
  });

  return {
    latest: latest as ReadonlySignal<Queue | undefined>,

    /** Throws ApiError: `permission_denied` where the token may not. */
    async setPaused(paused: boolean): Promise<void> {
      const queue = await unwrap(api.PATCH('/v1/queue', { body: { paused } }));
      changes += 1;
      latest.value = queue;
    },
  };
}
