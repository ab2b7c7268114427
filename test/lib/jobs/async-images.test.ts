import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import { createAsyncImages } from '../../../lib/jobs/async-images.ts';
import { ByteParts } from '../../../lib/platform/byte-parts.ts';
import { requestContext } from '../../support/request-context.ts';
import { wireRequestOf } from '../generation/requests.ts';
import { type JobRig, openJobRig, SCOPE, until } from './job-rig.ts';
import { resultOf, type ScriptedRun } from './scripted-generation.ts';

const ONE = '1'.repeat(32);
const BYTES = Buffer.from('the bytes of the image');

let rig: JobRig;
let removed: boolean;
let isUnavailable: boolean;

beforeEach(async () => {
  rig = await openJobRig();
  removed = false;
  isUnavailable = false;
});
afterEach(() => rig.close());

function ask(
  waitSecs: number | undefined,
  output: object = {},
  more: object = {},
  jobs: Parameters<typeof createAsyncImages>[0]['jobs'] = rig.jobs,
) {
  const replyAsync = createAsyncImages({
    jobs,
    durations: rig.durations,
    artifacts: {
      async open(scope, id) {
        if (isUnavailable) throw new BridgeError('overloaded', 'the store is unavailable');
        if (removed || scope !== SCOPE || id !== ONE) throw new BridgeError('not_found', 'no');
        return { bytes: BYTES };
      },
    },
  });
  const context = requestContext({ scope: SCOPE, requestId: 'asked', ...more });
  return replyAsync(wireRequestOf({ output }), { waitSecs }, context);
}

async function finish(run: ScriptedRun): Promise<void> {
  const made = resultOf([ONE]);
  const artifacts = rig.stores.artifacts;
  for (const { record } of made.publications) await artifacts.claim([record]);
  run.end(made);
}

describe('createAsyncImages', () => {
  test('the reply is the queued job at once if no wait is preferred', async () => {
    const reply = await ask(undefined);

    expect(reply).toMatchObject({
      replayed: false,
      retryAfterSecs: 10,
      accepted: { status: 'queued', request: { output: { response_format: 'artifact' } } },
    });
  });

  test.each([
    ['b64_json', { b64_json: new ByteParts([BYTES]) }],
    ['artifact', { id: ONE, name: `${ONE}.png` }],
    ['url', { id: ONE, url: `http://localhost:8787/v1/artifacts/${ONE}` }],
    ['metadata', {}],
  ])('the reply has the form %s if the job succeeds in time', async (form, payload) => {
    const replying = ask(8, { response_format: form });
    rig.work();
    await finish(await rig.run(0));

    const reply = await replying;

    if (reply.accepted) throw new Error('the images were made in time');
    const [image] = reply.value.data;
    const facts = { index: 0, format: 'png', width: 640, height: 480, bytes: 1234 };
    expect(image).toEqual({ type: form, ...facts, sha256: 'ab'.repeat(32), ...payload });
  });

  test('the reply after the preferred wait is the job, with an estimate of the remaining time from recent runs', async () => {
    rig.durations.note('sandbox', 30_000);
    const replying = ask(8);
    rig.work();
    await rig.run(0);
    await until(() => rig.clock.waiting > 0);
    await rig.clock.advance(8000);

    expect(await replying).toMatchObject({ accepted: { status: 'running' }, retryAfterSecs: 22 });
  });

  test('the reply is the error of the job if the job fails in time', async () => {
    const replying = ask(8);
    rig.work();
    const failure = new BridgeError('artifact_exists', 'refused', { provider: 'sandbox' });
    (await rig.run(0)).fail(failure);

    await expect(replying).rejects.toMatchObject({ code: 'artifact_exists', provider: 'sandbox' });
  });

  test('the reply is the accepted job if the store cannot be read during the wait', async () => {
    const unavailable = new BridgeError('overloaded', 'the state database is unavailable');
    const jobs = { ...rig.jobs, outcome: () => Promise.reject(unavailable) };

    const reply = await ask(8, {}, {}, jobs);

    expect(reply).toMatchObject({ replayed: false, accepted: { status: 'queued' } });
  });

  test('the reply is the ended job if its images cannot be read', async () => {
    isUnavailable = true;
    const replying = ask(8, { response_format: 'b64_json' });
    rig.work();
    await finish(await rig.run(0));

    expect(await replying).toMatchObject({ accepted: { status: 'succeeded' } });
  });

  test('a job continues after its client has disconnected', async () => {
    const client = new AbortController();
    const replying = ask(600, {}, { signal: () => client.signal });
    rig.work();
    const run = await rig.run(0);

    client.abort(new BridgeError('cancelled', 'the client has disconnected'));

    const reply = await replying;
    await finish(run);
    expect(await rig.ended(reply.accepted?.id ?? '')).toMatchObject({ status: 'succeeded' });
  });

  test('an equal request under a key gets the images again, or the job if the images were removed', async () => {
    const key = { idempotencyKey: 'one' };
    const first = ask(8, {}, key);
    rig.work();
    await finish(await rig.run(0));
    const { replayed } = await first;

    const again = await ask(8, {}, key);
    removed = true;
    const later = await ask(8, {}, key);

    expect([replayed, again.replayed, again.accepted]).toEqual([false, true, undefined]);
    expect(later).toMatchObject({ replayed: true, accepted: { status: 'succeeded' } });
    await expect(ask(8, { response_format: 'url' }, key)).rejects.toMatchObject({
      code: 'idempotency_conflict',
    });
    expect(rig.runs).toHaveLength(1);
  });
});
