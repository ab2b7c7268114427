import { effect, type ReadonlySignal, signal } from '@preact/signals';
import { type Api, ApiError, joined, unwrap } from '../api/api.ts';
import type { Queue } from '../api/schemas.ts';
import type { Connection } from '../connection/connection.ts';
import type { DiagnosticsSource } from '../diagnostics/diagnostics.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { OwnQueuePlaces } from './own-queue.ts';

interface Deps {
  readonly api: Api;
  readonly connection: Connection;
  readonly jobs: Jobs;
  readonly ownQueue: Pick<OwnQueuePlaces, 'latest'>;
  readonly diagnostics: DiagnosticsSource;
}

/** Reads the state of the queue when jobs start to wait, when the own places show another state, and with the diagnostics. */
export function createQueue({ api, connection, jobs, ownQueue, diagnostics }: Deps) {
  const latest = signal<Queue | undefined>(undefined);
  const waiting = () => [...jobs.open.value.values()].filter(({ status }) => status === 'queued');
  let hadWaiting = false;
  /** The number of changes made from this page. A reply requested before the latest change is discarded. */
  let changes = 0;

  const read = joined(async () => {
    const before = changes;
    try {
      const queue = await unwrap(api.GET('/v1/queue'));
      if (changes === before) latest.value = queue;
    } catch (error) {
      // Without a connection, the last state stays.
      if (changes === before && ApiError.of(error).code !== 'unreachable') latest.value = undefined;
    }
  });

  effect(() => {
    const hasWaiting = waiting().length > 0;
    if (hasWaiting && !hadWaiting) void read();
    hadWaiting = hasWaiting;
  });
  effect(() => {
    void [connection.returns.value, diagnostics.latest.value];
    void read();
  });

  let ownRunning: number | undefined;
  effect(() => {
    const own = ownQueue.latest.value;
    const known = latest.peek();
    const isOther = known?.paused !== own?.paused || ownRunning !== own?.running.length;
    ownRunning = own?.running.length;
    // Without the permission to read the queue, its state stays unknown.
    if (own !== undefined && known !== undefined && isOther) void read();
  });

  return {
    /** Undefined until the queue has been read, and if the token lacks the permission to read the queue. */
    latest: latest as ReadonlySignal<Queue | undefined>,

    /** Pauses or resumes the queue. Throws ApiError `permission_denied` if the token lacks the permission. */
    async setPaused(paused: boolean): Promise<void> {
      const queue = await unwrap(api.PATCH('/v1/queue', { body: { paused } }));
      changes += 1;
      latest.value = queue;
    },
  };
}
