import { effect } from '@preact/signals';
import type { Api } from '../api/api.ts';
import { ApiError } from '../api/api-error.ts';
import { readEventStream } from '../api/event-stream.ts';
import type { JobFeedEvent } from '../api/schemas.ts';
import type { Connection } from '../connection/connection.ts';
import type { Jobs } from './jobs.ts';

interface Deps {
  readonly api: Api;
  readonly connection: Connection;
  readonly jobs: Jobs;
}

const POLL_MS = 3000;

/**
 * Keeps the jobs up to date: by the event stream, which continues behind the last event after a break; by reading what is
 * newest every three seconds where streams do not get through. Ends when the page does.
 */
export function watchJobs(deps: Deps): void {
  const { connection } = deps;
  const position: Position = { token: undefined, lastEventId: undefined };
  let controller = new AbortController();
  effect(() => {
    // A return of the bridge, or another token, begins at once instead of at the end of a pause.
    void connection.returns.value;
    const token = connection.token.value;
    if (position.token !== token) {
      Object.assign(position, { token, lastEventId: undefined });
      deps.jobs.forgetOpen();
    }
    controller.abort();
    controller = new AbortController();
    void follow(deps, position, controller.signal);
  });
}

/** How far the stream was read, by whom. */
interface Position {
  token: string | undefined;
  lastEventId: string | undefined;
}

async function follow(deps: Deps, position: Position, signal: AbortSignal): Promise<void> {
  const { connection, jobs } = deps;
  while (!signal.aborted) {
    try {
      await readOnce(deps, position, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiError) {
        // While the bridge is away or asks for a token, its return begins anew.
        if (error.code === 'unreachable' || error.status === 401) return;
        // It no longer knows where we were.
        position.lastEventId = undefined;
      }
    }
    await catchUp(jobs, signal);
    await pause(POLL_MS, signal);
    if (!connection.online.peek()) return;
  }
}

async function readOnce({ api, jobs }: Deps, position: Position, signal: AbortSignal) {
  await readEventStream(api, {
    path: '/v1/jobs/events',
    lastEventId: position.lastEventId,
    signal,
    onEvent({ id, data }) {
      if (id !== undefined) position.lastEventId = id;
      const event = JSON.parse(data) as JobFeedEvent;
      if (event.type === 'job') jobs.put(event.job);
      else if (event.type === 'removed') jobs.remove(event.id);
    },
  });
}

/** The newest jobs, and those that were open when they were last seen. */
async function catchUp(jobs: Jobs, signal: AbortSignal): Promise<void> {
  // Whether the bridge can be reached is the connection's to say; the next round asks again.
  await jobs.readNewest(signal).catch(() => {});
  for (const id of jobs.open.peek().keys()) {
    await jobs.read(id, signal).catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 404) jobs.remove(id);
    });
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
