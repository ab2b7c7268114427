import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { cleanUp, startBridge } from '../../support/start-bridge.ts';
import { type EventReader, openEvents } from './event-reader.ts';
import { createJobClient } from './jobs-rig.ts';

// A heartbeat is sent after 15 seconds without an event. Set STREAM_HEARTBEATS=240 for a stream of an hour.
const HEARTBEATS = Number(process.env['STREAM_HEARTBEATS'] ?? 0);
const TIMEOUT_MS = 60_000 + HEARTBEATS * 60_000;
const JOBS_A_ROUND = 3;

afterAll(cleanUp);

interface State {
  readonly status: string;
  readonly favorite: boolean;
  readonly updated: number;
}

/** The members that a job has in an event too. */
const stateOf = ({ status, favorite, updated }: State): State => ({ status, favorite, updated });

const heartbeatsOf = (reader: EventReader) => reader.text().split('\n: heartbeat\n').length - 1;

it(
  'a stream of events reports every change however long it is open',
  async () => {
    const bridge = await startBridge();
    const client = await createJobClient(bridge);
    const reader = await openEvents(`${bridge.address}/v1/jobs/events`);
    const jobIds: string[] = [];

    for (let round = 0; round <= HEARTBEATS; round += 1) {
      while (heartbeatsOf(reader) < round && reader.end() === 'open') await delay(100);
      expect(reader.end()).toBe('open');
      const created = Array.from({ length: JOBS_A_ROUND }, () => client.post({ prompt: 'a fox' }));
      const ids = (await Promise.all(created)).map(({ json }) => json.id as string);
      for (const id of ids) await client.ended(id);
      const [first = ''] = ids;
      await client.patch(first, { favorite: true });
      jobIds.push(...ids);
    }

    const stored = new Map<string, object>();
    for (const id of jobIds) stored.set(id, stateOf((await client.get(`/v1/jobs/${id}`)).json));
    const received = () =>
      new Map(reader.events().map(({ data }) => [data.job.id, stateOf(data.job)]));
    await reader.until(() => isDeepStrictEqual(received(), stored));
    expect(reader.end()).toBe('open');
  },
  TIMEOUT_MS,
);
