import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type JobRig, openJobRig, SCOPE, until } from '../../lib/jobs/job-rig.ts';
import { jobResult, succeeded } from '../../support/jobs.ts';
import { openSocket } from '../../support/raw-http.ts';
import { startListener, stopListeners } from './listener-rig.ts';

// Events of about 25 KB each. The kernel buffers a few megabytes of them.
const CHANGES = 800;
const ARTIFACTS = 200;

let rig: JobRig;

beforeEach(async () => {
  rig = await openJobRig();
});
afterEach(async () => {
  await stopListeners();
  await rig.close();
});

describe('GET /v1/jobs/events', () => {
  /** Creates an ended job with a summary of the maximum length. */
  async function longJob(): Promise<string> {
    const { job } = await rig.submit();
    const claimed = await rig.store.claim(1);
    const ids = Array.from({ length: ARTIFACTS }, () => rig.ids.newOpaqueId());
    const end = { ...succeeded(), result: jobResult(ids) } as const;
    await rig.store.settle(claimed?.sequence ?? 0, end);
    return job.id;
  }

  it('keeps no backlog for a client that stops reading, which later receives the latest state', async () => {
    const id = await longJob();
    const { port } = await startListener({ services: rig });
    const socket = await openSocket(port);
    socket.pause().write('GET /v1/jobs/events HTTP/1.1\r\nHost: localhost\r\n\r\n');

    for (let count = 1; count <= CHANGES; count += 1) {
      await rig.jobs.update(SCOPE, id, { favorite: count % 2 === 1 });
    }
    await rig.jobs.update(SCOPE, id, { deleted: true });
    const reader = { events: 0, rest: '' };
    socket.on('data', (chunk: Buffer) => {
      const events = `${reader.rest}${chunk.toString('latin1')}`.split('event: job\n');
      reader.rest = events.pop() ?? '';
      reader.events += events.length;
    });
    socket.resume();
    await until(() => reader.rest.includes('"deleted":'));

    expect(reader.events).toBeGreaterThan(0);
    expect(reader.events).toBeLessThan(CHANGES / 2);
    socket.destroy();
  });
});
