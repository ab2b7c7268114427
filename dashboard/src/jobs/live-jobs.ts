import { effect } from '@preact/signals';
import { type Api, ApiError } from '../api/api.ts';
import { readEventStream } from '../api/event-stream.ts';
import type { JobFeedEvent } from '../api/schemas.ts';
import type { Connection } from '../connection/connection.ts';
import { pause } from '../connection/pause.ts';
import type { OwnQueuePlaces } from '../queue/own-queue.ts';
import type { Jobs } from './jobs.ts';

interface Deps {
  readonly api: Api;
  readonly connection: Connection;
  readonly jobs: Jobs;
  readonly ownQueue: OwnQueuePlaces;
}

const POLL_MS = 3000;

/** The time after which a stream without any data counts as held back by a proxy. The bridge sends the first bytes at once. */
const SILENT_MS = 4000;

/**
 * Keeps the jobs up to date with the event stream. After an interruption, the stream resumes after the last received
 * event. If a proxy blocks streams or holds them back, the newest jobs are read every three seconds. Runs as long as the page is
 * open.
 */
export function watchJobs(deps: Deps): void {
  const { connection } = deps;
  const position: Position = { token: undefined, lastEventId: undefined };
  let controller = new AbortController();
  effect(() => {
    // If the bridge is reachable again or the token has changed, the stream restarts at once, without the pause.
    void connection.returns.value;
    // The stream has events of the queue only while a view shows the queue, because the queue may be long.
    void deps.ownQueue.isShown.value;
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

/** The last event that was read, and the token that was used to read the event. */
interface Position {
  token: string | undefined;
  lastEventId: string | undefined;
}

async function follow(deps: Deps, position: Position, signal: AbortSignal): Promise<void> {
  const { connection } = deps;
  while (!signal.aborted) {
    const stopPolling = pollUntilHeard(deps, signal);
    try {
      await readOnce(deps, position, signal, stopPolling);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiError) {
        // The stream restarts when the bridge is reachable again or a token is entered.
        if (error.code === 'unreachable' || error.status === 401) return;
        // The bridge no longer has the events after this position.
        position.lastEventId = undefined;
      }
    } finally {
      stopPolling();
    }
    await catchUp(deps, signal);
    await pause(POLL_MS, signal);
    if (!connection.online.peek()) return;
  }
}

/** Reads the newest jobs every three seconds, after a pause, until the returned function is called. */
function pollUntilHeard(deps: Deps, signal: AbortSignal): () => void {
  const heard = new AbortController();
  const over = AbortSignal.any([signal, heard.signal]);
  void (async () => {
    await pause(SILENT_MS, over);
    while (!over.aborted) {
      await catchUp(deps, over);
      await pause(POLL_MS, over);
    }
  })();
  return () => heard.abort();
}

async function readOnce(
  { api, jobs, ownQueue }: Deps,
  position: Position,
  signal: AbortSignal,
  onHeard: () => void,
) {
  await readEventStream(api, {
    path: `/v1/jobs/events${ownQueue.isShown.peek() ? '?queue=true' : ''}`,
    lastEventId: position.lastEventId,
    signal,
    onPart: onHeard,
    onEvent({ id, data }) {
      if (id !== undefined) position.lastEventId = id;
      const event = JSON.parse(data) as JobFeedEvent;
      if (event.type === 'job') jobs.put(event.job);
      else if (event.type === 'removed') jobs.remove(event.id);
      else if (event.type === 'queue') ownQueue.put(event.queue);
    },
  });
}

/** Reads the newest jobs, the jobs that were open when last seen, and the places in the queue while they are shown. */
async function catchUp({ jobs, ownQueue }: Deps, signal: AbortSignal): Promise<void> {
  // A failure is ignored, because the connection reports the failure, and the next round tries again.
  await jobs.readNewest(signal).catch(() => {});
  if (ownQueue.isShown.peek()) void ownQueue.read();
  for (const id of jobs.open.peek().keys()) {
    await jobs.read(id, signal).catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 404) jobs.remove(id);
    });
  }
}
