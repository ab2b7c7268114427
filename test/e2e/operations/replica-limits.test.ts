import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSchema, HAS_POSTGRES, type TestSchema } from '../../support/postgres.ts';
import {
  cleanUp,
  freshFolder,
  type StartedBridge,
  startBridge,
} from '../../support/start-bridge.ts';
import { createJobClient, type JobClient } from '../jobs/jobs-rig.ts';

const SMALL = { prompt: 'a kite', parameters: { size: '64x64' } };

let schema: TestSchema;
/** A replica that runs no jobs, and a replica that runs jobs. */
let front: StartedBridge;
let worker: StartedBridge;

// Replicas of the whole file.
beforeAll(async () => {
  if (!HAS_POSTGRES) return;
  schema = await createSchema();
  const root = await freshFolder();
  const start = (...set: readonly string[]) =>
    startBridge({
      set: [
        'state.driver=postgres',
        `state.postgres.schema=${schema.schema}`,
        `artifacts.root=${root}`,
        'artifacts.shared_folder=true',
        'server.jobs.max_running_total=1',
        'providers.sandbox.latency_ms=300',
        ...set,
      ],
      env: { DATABASE_URL: schema.url },
    });
  [front, worker] = await Promise.all([start('replica.work=false'), start()]);
});
afterAll(async () => {
  await cleanUp();
  await schema?.drop();
});

describe.runIf(HAS_POSTGRES)('a replica with replica.work = false', () => {
  it('leaves its jobs to the other replica, and both report the limit of running jobs', async () => {
    const jobs: JobClient = await createJobClient(front);
    const created = [await jobs.post(SMALL), await jobs.post(SMALL), await jobs.post(SMALL)];

    const ended = await Promise.all(created.map(({ json }) => jobs.ended(json.id)));
    const limits = await Promise.all(
      [jobs, await createJobClient(worker)].map(
        async ({ get }) => (await get('/v1/diagnostics')).json.jobs.limits,
      ),
    );

    expect(ended.map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'succeeded']);
    expect(limits).toMatchObject([
      { max_running: 0, max_running_total: 1 },
      { max_running: 4, max_running_total: 1 },
    ]);
  });
});

describe.runIf(HAS_POSTGRES)('a stream that joins the work of another replica', () => {
  it('has the images of that work', async () => {
    const open = ({ address }: StartedBridge) =>
      fetch(`${address}/v1/images/stream`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': 'one image' },
        body: JSON.stringify(SMALL),
      });
    const first = await open(worker);
    const second = await open(front);

    const [own, joined] = await Promise.all([first.text(), second.text()]);

    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(last(joined)).toEqual(last(own));
  });
});

/** Returns the images of the last event. */
function last(text: string): unknown {
  const data =
    text
      .trim()
      .split('\n')
      .findLast((line) => line.startsWith('data: ')) ?? '';
  return JSON.parse(data.slice('data: '.length)).response.data;
}
