import { effect } from '@preact/signals';
import type { Api } from '../api/api.ts';
import { ApiError } from '../api/api-error.ts';
import { readEventStream } from '../api/event-stream.ts';
import type { JobSummary } from '../api/schemas.ts';
import type { Connection } from '../connection/connection.ts';
import type { Jobs } from './jobs.ts';

interface Deps {
  readonly api: Api;
  readonly connection: Connection;
  readonly jobs: Jobs;
}

const POLL_MS = 3000;

/**
 * Keeps the jobs up to date: by the event stream, which goes on behind the last event after a break; by reading the
 * newest page every three seconds where streams do not get through.
 */
export function watchJobs(deps: Deps): () => void {
  const { connection } = deps;
  let controller = new AbortController();
  const stop = effect(() => {
    // A return of the bridge, or another token, begins anew at once instead of at the end of a pause.
    void connection.returns.value;
    controller.abort();
    controller = new AbortController();
    void follow(deps, controller.signal);
  });
  return () => {
    stop();
    controller.abort();
  };
}

async function follow({ api, connection, jobs }: Deps, signal: AbortSignal): Promise<void> {
  let lastEventId: string | undefined;
  while (!signal.aborted) {
    try {
      await readEventStream(api, {
        path: '/v1/jobs/events',
        lastEventId,
        signal,
        onOpen: () => {},
        onEvent({ id, event, data }) {
          if (id !== undefined) lastEventId = id;
          if (event === 'job') jobs.put(JSON.parse(data) as JobSummary);
          else if (event === 'removed') jobs.remove((JSON.parse(data) as { id: string }).id);
        },
      });
    } catch (error) {
      if (signal.aborted) return;
      // While the bridge is away or asks for a token, its return begins anew.
      if (error instanceof ApiError && (error.code === 'unreachable' || error.status === 401))
        return;
    }
    // Whether the bridge can be reached is the connection's to say; the next round asks again.
    await jobs.readNewest(signal).catch(() => {});
    await pause(POLL_MS, signal);
    if (!connection.online.peek()) return;
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener('abort', done, { once: true });
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
  });
}
