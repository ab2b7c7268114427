import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ImageJob } from '../../../lib/contract/resources/job.ts';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import { CANCELLATION, jobResult } from '../../support/jobs.ts';
import { forever, type JobRig, openJobRig, refusal, SCOPE, until } from './job-rig.ts';
import { resultOf, type ScriptedRun } from './scripted-generation.ts';

const INTERRUPTED = {
  status: 'interrupted',
  error: {
    code: 'cancelled',
    retryable: false,
    details: { outcome: 'unknown', reason: 'interrupted' },
  },
};

const CANCEL = { atSecs: 1, error: CANCELLATION, inFlight: 'stop' } as const;

let rig: JobRig;

beforeEach(async () => {
  rig = await openJobRig();
});
afterEach(() => rig.close());

/** Starts a job. */
async function begun() {
  const { job } = await rig.submit({ prompt: 'a tower' });
  rig.work();
  return { id: job.id, run: await rig.run(0) };
}

/** Publishes this image as the pipeline does, and returns the result of the job. */
async function published(run: ScriptedRun, id: string) {
  const result = resultOf([id]);
  const [image] = result.response.data;
  const [publication] = result.publications;
  const { outputs } = run.context;
  if (!image || !publication || !outputs) throw new Error('there is no image of a job');
  const output = { job: outputs.job, facts: { index: image.index } };
  await rig.stores.artifacts.claim([publication.record], output);
  return { image, publication, result };
}

/** Publishes one image of a running job while other calls still run. */
async function publishEarly(run: ScriptedRun, id: string) {
  const { image, publication } = await published(run, id);
  run.context.outputs?.onPublished(publication);
  return image;
}

describe('createJobWorker', () => {
  test('the published images of a running job are counted, and are its partial result if it is interrupted', async () => {
    const { job } = await rig.submit({ parameters: { n: 3 } });
    const loop = rig.work();
    const run = await rig.run(0);
    const images = [
      await publishEarly(run, '1'.repeat(32)),
      await publishEarly(run, '2'.repeat(32)),
    ];

    const running = await rig.read(job.id);
    await loop.drain(AbortSignal.abort());

    expect(running.progress).toMatchObject({ finished_images: 2 });
    expect(await rig.read(job.id)).toMatchObject({
      ...INTERRUPTED,
      partial_result: { data: images },
    });
    expect(rig.discarded).toEqual([]);
    const artifacts = rig.stores.artifacts;
    expect(await artifacts.find(SCOPE, '2'.repeat(32))).toMatchObject({ id: '2'.repeat(32) });
  });

  test('a failed job has its published images as its partial result', async () => {
    const { id, run } = await begun();
    const image = await publishEarly(run, '1'.repeat(32));

    run.fail(new BridgeError('upstream', 'no reply'));
    const job = await rig.ended(id);
    await until(() => rig.active() === 0);

    expect(job).toMatchObject({ status: 'failed', partial_result: { data: [image] } });
    expect(rig.discarded).toEqual([]);
    const artifacts = rig.stores.artifacts;
    expect(await artifacts.find(SCOPE, '1'.repeat(32))).toMatchObject({ id: '1'.repeat(32) });
  });

  test('a result that is complete when the bridge stops is stored', async () => {
    rig.behavior.stopsOnAbort = false;
    const { job } = await rig.submit();
    const loop = rig.work();
    const run = await rig.run(0);
    const drained = loop.drain(AbortSignal.abort());

    run.succeed();
    await drained;

    expect(await rig.read(job.id)).toMatchObject({ status: 'succeeded' });
  });

  test('a job runs on behalf of its owner, and its outcome is stored', async () => {
    const { id, run } = await begun();
    const running = await rig.read(id);

    run.succeed();
    const job = await rig.ended(id);

    expect(running).toMatchObject({ status: 'running', progress: { stage: 'queued' } });
    expect(run.request.prompt).toBe('a tower');
    const context = { scope: SCOPE, requestId: 'request', waitsWhenFull: true };
    expect(run.context).toMatchObject(context);
    expect(job).toMatchObject({ status: 'succeeded', result: jobResult([]) });
    expect(job).not.toHaveProperty('progress');
  });

  test('the error of a failed job is stored unchanged', async () => {
    const { id, run } = await begun();

    run.fail(new BridgeError('upstream', 'no reply', { details: { outcome: 'unknown' } }));

    const error = { code: 'upstream', message: 'no reply', details: { outcome: 'unknown' } };
    expect(await rig.ended(id)).toMatchObject({ status: 'failed', error });
  });

  test('a job fails if its result has no artifact', async () => {
    const { id, run } = await begun();
    const made = resultOf(['one']);
    const [image] = made.response.data;
    if (image?.type !== 'artifact') throw new Error('the image is no artifact');
    const { name: _, ...described } = image;

    const url = { ...described, type: 'url', url: 'http://localhost/one' } as const;
    run.end({ ...made, response: { ...made.response, data: [url] } });

    expect(await rig.ended(id)).toMatchObject({ status: 'failed', error: { code: 'internal' } });
  });

  test('a job fails if its images are not pending in the store', async () => {
    const { id, run } = await begun();

    run.end(resultOf(['one']));

    expect(await rig.ended(id)).toMatchObject({ status: 'failed', error: { code: 'artifact' } });
    expect(rig.discarded).toEqual(['one']);
  });

  test('storing an end is retried at growing intervals while the store fails', async () => {
    const { id, run } = await begun();
    rig.refuse('settle', refusal(), refusal(), refusal());
    run.succeed();
    await until(() => rig.clock.waiting === 1);
    await rig.clock.advance(250 + 500 + 999);
    const before = await rig.read(id);

    await rig.clock.advance(1);

    expect(before.status).toBe('running');
    expect(await rig.ended(id)).toMatchObject({ status: 'succeeded' });
  });

  test.each(['internal', 'configuration'] as const)(
    'tries an end again that the store refuses with %s',
    async (code) => {
      const { id, run } = await begun();
      rig.refuse('settle', new BridgeError(code, 'no'), new BridgeError(code, 'no'));

      run.fail(new BridgeError('upstream', 'no reply'));
      await until(() => rig.clock.waiting === 1);
      await rig.clock.advance(250);
      await until(() => rig.clock.waiting === 1);
      await rig.clock.advance(500);

      expect(await rig.ended(id)).toMatchObject({ status: 'failed', error: { code: 'upstream' } });
      expect(rig.active()).toBe(0);
    },
  );

  test('storing a success is retried after an unexpected error of the store', async () => {
    const { id, run } = await begun();
    rig.refuse('settle', new Error('a fault of the driver'));

    run.succeed();
    await until(() => rig.clock.waiting === 1);
    await rig.clock.advance(250);

    expect(await rig.ended(id)).toMatchObject({ status: 'succeeded' });
  });

  test('only the first failure to store an end is reported', async () => {
    const { run } = await begun();
    rig.refuse('settle', new Error('first'), new Error('second'), new Error('third'));

    run.succeed();
    for (const delayMs of [250, 500, 1000]) {
      await until(() => rig.clock.waiting === 1);
      await rig.clock.advance(delayMs);
    }
    await until(() => rig.active() === 0);

    const events = rig.lines.map((line) => JSON.parse(line));
    expect(events.filter(({ event }) => event === 'internal_failure')).toMatchObject([
      { request_id: 'request', error_code: 'internal', error_class: 'Error' },
    ]);
  });

  test('a cancellation that another process commits before the result wins, and claims no stop of the provider', async () => {
    const { id, run } = await begun();

    rig.precede('settle', () => rig.store.cancel(SCOPE, id, CANCEL));
    const { image, result } = await published(run, '1'.repeat(32));
    run.end(result);

    const job = await rig.ended(id);
    expect(job).toMatchObject({
      status: 'cancelled',
      cancel_requested: true,
      error: { code: 'cancelled' },
      partial_result: { data: [image] },
    });
    expect(job.error?.details).not.toHaveProperty('provider_stopped');
    expect(rig.discarded).toEqual([]);
  });

  test('a cancelled job stops, and its error reports that the provider stopped', async () => {
    const { id, run } = await begun();

    const reply = await rig.jobs.cancel(SCOPE, id);

    expect(reply).toMatchObject({ status: 'running', cancel_requested: true });
    expect(run.signal.aborted).toBe(true);
    const error = { code: 'cancelled', details: { provider_stopped: true } };
    expect(await rig.ended(id)).toMatchObject({ status: 'cancelled', error });
  });

  test('the error of a cancelled job has the facts that the pipeline reports about the provider', async () => {
    rig.behavior.stopsOnAbort = false;
    const { id, run } = await begun();
    await rig.jobs.cancel(SCOPE, id);

    const details = { outcome: 'unknown', provider_stopped: false };
    run.fail(new BridgeError('cancelled', 'the job was cancelled', { details }));

    expect(await rig.ended(id)).toMatchObject({ status: 'cancelled', error: { details } });
  });

  test('the error of a job that is cancelled during its calls has the number of finished images and the unknown outcome', async () => {
    const { id, run } = await begun();
    const { ledger } = run.context;
    const [made, running] = [0, 1].map((index) => ledger.beginCall('scripted', [index]));
    made?.sent();
    made?.replied(1, undefined);
    made?.verified(0);
    running?.sent();

    await rig.jobs.cancel(SCOPE, id);

    const details = { outcome: 'unknown', succeeded_outputs: 1 };
    expect(await rig.ended(id)).toMatchObject({ status: 'cancelled', error: { details } });
  });

  test('a result that arrives after a cancellation becomes the partial result', async () => {
    rig.behavior.stopsOnAbort = false;
    const { id, run } = await begun();
    await rig.jobs.cancel(SCOPE, id);

    const { image, result } = await published(run, '1'.repeat(32));
    run.end(result);

    expect(await rig.ended(id)).toMatchObject({
      status: 'cancelled',
      partial_result: { data: [image] },
    });
    expect(rig.discarded).toEqual([]);
  });

  test('the error of a cancelled job with a failed call has the number of finished images and the unknown outcome', async () => {
    rig.behavior.stopsOnAbort = false;
    const { id, run } = await begun();
    const { ledger } = run.context;
    const [made, unknown] = [ledger.beginCall('sandbox', [0]), ledger.beginCall('sandbox', [1])];
    made.replied(1, undefined);
    made.verified(0);
    unknown.sent();
    unknown.failed(new BridgeError('upstream', 'lost', { effect: 'unknown' }));
    await rig.jobs.cancel(SCOPE, id);

    run.fail(new BridgeError('upstream', 'lost', { effect: 'unknown' }));

    const details = { provider_stopped: true, outcome: 'unknown', succeeded_outputs: 1 };
    expect(await rig.ended(id)).toMatchObject({ status: 'cancelled', error: { details } });
  });

  test('a cancellation stops a job while the store fails to store its end', async () => {
    const { id, run } = await begun();
    rig.refuse('settle', refusal());
    const { image, result } = await published(run, '1'.repeat(32));
    run.end(result);
    await until(() => rig.clock.waiting === 1);

    await rig.jobs.cancel(SCOPE, id);

    expect(await rig.ended(id)).toMatchObject({
      status: 'cancelled',
      partial_result: { data: [image] },
    });
    expect(rig.discarded).toEqual([]);
  });

  test('a job that is cancelled between its claim and its start is stopped', async () => {
    const { job } = await rig.submit();
    const reply = Promise.withResolvers<ImageJob>();
    rig.afterClaim(() => rig.jobs.cancel(SCOPE, job.id).then(reply.resolve, reply.reject));

    await rig.worker.runNext(forever);

    expect(await reply.promise).toMatchObject({ status: 'running', cancel_requested: true });
    expect(await rig.read(job.id)).toMatchObject({ status: 'cancelled' });
    expect(rig.runs[0]?.signal.aborted).toBe(true);
  });

  test('running jobs end as interrupted when the time to stop has passed', async () => {
    const { id } = await begun();

    rig.worker.interruptAll();

    const job = await rig.ended(id);
    expect(job).toMatchObject(INTERRUPTED);
    expect(job.error?.details).toEqual(INTERRUPTED.error.details);
  });

  test('interrupting all jobs does not wait for the store', async () => {
    const { job } = await rig.submit();
    const loop = rig.work();
    const run = await rig.run(0);
    rig.refuse('settle', refusal(), refusal(), refusal());
    run.end(resultOf(['unwritten']));
    await until(() => rig.clock.waiting === 1);

    await loop.drain(AbortSignal.abort());

    expect(await rig.read(job.id)).toMatchObject({ status: 'running' });
    // The next start removes the image, because the store does not know of an end until then.
    expect(rig.discarded).toEqual([]);
    expect(rig.clock.waiting).toBe(0);
  });
});
