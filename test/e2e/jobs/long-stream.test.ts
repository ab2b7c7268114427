import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { cleanUp, startBridge } from '../../support/start-bridge.ts';
import { type EventReader, openEvents } from './event-reader.ts';

// Set STREAM_MINUTES=60 for a stream of an hour.
const MINUTES = Number(process.env['STREAM_MINUTES'] ?? 0);
const TIMEOUT_MS = 60_000 + MINUTES * 90_000;

afterAll(cleanUp);

interface Job {
  readonly id: string;
  readonly status: string;
  readonly favorite: boolean;
  readonly updated: number;
}

/** The members that a job has in an event too. */
const stateOf = ({ status, favorite, updated }: Job) => ({ status, favorite, updated });

/** Sends a request on a connection of its own, because the bridge closes a connection that was idle between two rounds. */
async function send(url: string, method: string, body?: object): Promise<Job> {
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', connection: 'close' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect(response.ok).toBe(true);
  return JSON.parse(await response.text());
}

/** Waits for the next heartbeat, which is sent after 15 seconds without an event. */
async function untilHeartbeat(reader: EventReader): Promise<void> {
  const begin = reader.text().length;
  while (!reader.text().includes(': heartbeat', begin)) {
    expect(reader.end()).toBe('open');
    await delay(100);
  }
}

it(
  'a stream of events reports every change however long it is open',
  async () => {
    const { address } = await startBridge();
    const jobs = `${address}/v1/jobs`;
    const reader = await openEvents(`${jobs}/events`);
    const endMs = performance.now() + MINUTES * 60_000;
    const stored = new Map<string, object>();

    do {
      const { id } = await send(jobs, 'POST', { prompt: 'a fox' });
      while ((await send(`${jobs}/${id}?wait_ms=30000`, 'GET')).status !== 'succeeded');
      const marked = await send(`${jobs}/${id}`, 'PATCH', { favorite: true });
      stored.set(id, stateOf(marked));
      if (MINUTES > 0) await untilHeartbeat(reader);
    } while (performance.now() < endMs);

    const received = () =>
      new Map(reader.events().map(({ data }) => [data.job.id, stateOf(data.job)]));
    await reader.until(() => isDeepStrictEqual(received(), stored));
    expect(reader.end()).toBe('open');
  },
  TIMEOUT_MS,
);
