import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as v from 'valibot';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { App } from '../../../lib/app.ts';
import { type Caller, unnamedCaller } from '../../../lib/contract/request/caller.ts';
import { JobCreate } from '../../../lib/contract/resources/job.ts';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import { startWorkerLoop } from '../../../local-runtime/server/worker-loop.ts';
import { openApp } from '../../support/open-app.ts';
import { requestContext } from '../../support/request-context.ts';
import {
  createScriptedProvider,
  replyWith,
  type Script,
  type ScriptedCall,
  type ScriptedProvider,
} from '../../support/scripted-provider.ts';
import { anything } from '../generation/capability-documents.ts';
import { image } from '../generation/images.ts';
import { forever } from './job-rig.ts';

const UNKNOWN = { outcome: 'unknown', reason: 'interrupted' };
/** A call starts after the images of the previous call are published. */
const SEQUENTIAL = { batch_execution: 'sequential' };
const CALLER: Caller = { ...unnamedCaller('anonymous'), id: 'alice', imagesPerDay: 10 };

let folder: string;
let bytes: Buffer;
let life: Life | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'resumed-'));
  bytes = await image();
});
afterEach(async () => {
  await life?.stop();
  life = undefined;
  await rm(folder, { recursive: true, force: true });
});

interface Life {
  readonly app: App;
  readonly provider: ScriptedProvider;
  /** Ends the process without a grace period, in the same way as a signal. */
  stop(): Promise<void>;
}

/** Starts a process over the same state. Each call makes one image, and two calls run at the same time. */
async function begin(script: Partial<Script> = {}): Promise<Life> {
  const batching = { ...anything.batching, native_count: { min: 1, max: 1 } };
  const capabilities = { ...anything, batching };
  const provider = createScriptedProvider({ capabilities, maxParallelCalls: 2, ...script });
  const app = await openApp({
    folder,
    providers: [provider],
    defaultProvider: provider.name as 'sandbox',
    set: ['runtime.circuit_breaker.enabled=false', 'runtime.cancellation_grace_ms=1000'],
  });
  const loop = startWorkerLoop(app.worker, 2);
  life = {
    app,
    provider,
    async stop() {
      life = undefined;
      await loop.drain(AbortSignal.abort());
      await app.close();
    },
  };
  return life;
}

async function submit(
  { app }: Life,
  n: number,
  sent: object = {},
  policies: object = {},
): Promise<string> {
  const request = v.parse(JobCreate, {
    prompt: 'a boat',
    policies,
    parameters: { n, output_format: 'png', ...sent },
  });
  const context = { operationId: 'createJob', scope: 'anonymous', caller: CALLER };
  return (await app.services.jobs.submit(request, requestContext(context))).job.id;
}

const ended = ({ app }: Life, id: string) =>
  app.services.jobs.find('anonymous', id, 20_000, forever);

/** Accepts the call as a task, whose ticket names its output. */
async function accept(call: ScriptedCall): Promise<boolean> {
  call.dispatch();
  return call.accept(`ticket of ${call.request.indices}`);
}

/** Ends a process with a job for one image whose call has a ticket. Resolves with the id of the job. */
async function leftWithTicket(script: Partial<Script> = {}): Promise<string> {
  const first = await begin(script);
  const id = await submit(first, 1);
  await accept(await first.provider.call(0));
  await first.stop();
  return id;
}

/** Ends a process with a job for `n` images: the first is published, and the call of the second has a ticket. */
async function leftAfterFirstImage(n: number): Promise<string> {
  const first = await begin();
  const id = await submit(first, n, {}, SEQUENTIAL);
  await accept(await first.provider.call(0));
  replyWith(bytes)(await first.provider.call(0));
  await accept(await first.provider.call(1));
  await first.stop();
  return id;
}

const tickets = ({ provider }: Life) => provider.calls.map(({ request }) => request.ticket);

async function usage({ app }: Life) {
  const { caller, items } = await app.services.usage.report(CALLER, { days: 1, tokens: 'own' });
  const [{ images, unknown, failed } = {}] = items;
  return { images, unknown, failed, used: caller.allowance?.used };
}

describe('a job whose process ends', () => {
  test('continues with the tickets of its calls, which are not sent again', async () => {
    const first = await begin();
    const id = await submit(first, 2);
    const stored = [
      await accept(await first.provider.call(0)),
      await accept(await first.provider.call(1)),
    ];
    await first.stop();

    const second = await begin({ reply: replyWith(bytes) });
    const job = await ended(second, id);

    expect(stored).toEqual([true, true]);
    expect(tickets(second)).toEqual(['ticket of 0', 'ticket of 1']);
    expect(job).toMatchObject({ status: 'succeeded' });
    expect(job.result?.data.map(({ index }) => index)).toEqual([0, 1]);
    expect(await usage(second)).toEqual({ images: 2, unknown: 0, failed: 0, used: 2 });
  });

  test('keeps the images that are published, and sends the outputs that were not sent', async () => {
    const id = await leftAfterFirstImage(4);

    const second = await begin({ reply: replyWith(bytes) });
    const job = await ended(second, id);

    const sent = second.provider.calls.map(({ request }) => request.indices);
    expect(sent).toEqual([[1], [2], [3]]);
    expect(tickets(second)).toEqual(['ticket of 1', undefined, undefined]);
    expect(job).toMatchObject({ status: 'succeeded' });
    expect(job.result?.data.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
    expect(job.result?.delivered.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
    expect(await usage(second)).toEqual({ images: 4, unknown: 0, failed: 0, used: 4 });
  });

  test('continues again after each further end', async () => {
    const id = await leftWithTicket();
    const second = await begin();
    await second.provider.call(0);
    await second.stop();

    const third = await begin({ reply: replyWith(bytes) });

    expect(await ended(third, id)).toMatchObject({ status: 'succeeded' });
    expect(tickets(third)).toEqual(['ticket of 0']);
  });

  test('without a ticket is interrupted with an unknown outcome', async () => {
    const first = await begin();
    const id = await submit(first, 1);
    (await first.provider.call(0)).dispatch();
    await first.stop();

    const second = await begin({ reply: replyWith(bytes) });

    expect(await ended(second, id)).toMatchObject({
      status: 'interrupted',
      error: { details: UNKNOWN },
    });
    expect(second.provider.calls).toEqual([]);
    expect(await usage(second)).toEqual({ images: 0, unknown: 1, failed: 0, used: 1 });
  });

  test.each(['fail_fast', 'best_effort'])(
    'never sends a call without a ticket again, but delivers the other images under %s',
    async (policy) => {
      const first = await begin();
      const id = await submit(first, 3, { failure_policy: policy });
      // The calls may begin in any order.
      const calls = [await first.provider.call(0), await first.provider.call(1)];
      const isOf = (index: number) => (it: ScriptedCall) => it.request.indices.includes(index);
      for (const call of calls.filter(isOf(0))) await accept(call);
      for (const call of calls.filter(isOf(1))) call.dispatch();
      await first.stop();

      const second = await begin({ reply: replyWith(bytes) });
      const job = await ended(second, id);

      const sent = second.provider.calls.map(({ request }) => request.indices).toSorted();
      if (policy === 'fail_fast') {
        expect(sent).toEqual([[0]]);
        expect(job).toMatchObject({ status: 'interrupted', error: { details: UNKNOWN } });
        expect(job.partial_result?.data.map(({ index }) => index)).toEqual([0]);
        expect(await usage(second)).toEqual({ images: 1, unknown: 1, failed: 1, used: 2 });
      } else {
        expect(sent).toEqual([[0], [2]]);
        expect(job).toMatchObject({
          status: 'succeeded',
          result: { failures: [{ index: 1, error: { details: UNKNOWN } }] },
        });
        expect(job.result?.data.map(({ index }) => index)).toEqual([0, 2]);
        expect(await usage(second)).toEqual({ images: 2, unknown: 1, failed: 0, used: 3 });
      }
    },
  );

  test('can be cancelled after it has continued', async () => {
    const id = await leftWithTicket();
    const second = await begin();
    await second.provider.call(0);

    await second.app.services.jobs.cancel('anonymous', id);

    expect(await ended(second, id)).toMatchObject({
      status: 'cancelled',
      error: { details: { outcome: 'unknown', provider_stopped: true } },
    });
    expect(await usage(second)).toEqual({ images: 0, unknown: 1, failed: 0, used: 1 });
  });

  test('fails with an unknown outcome if the service no longer has the task', async () => {
    const id = await leftWithTicket();
    const gone = new BridgeError('protocol', 'the task is gone', { effect: 'unknown' });

    const second = await begin({ reply: (call) => call.fail(gone) });

    const job = await ended(second, id);
    expect(job).toMatchObject({ status: 'failed', error: { details: { outcome: 'unknown' } } });
    expect(await usage(second)).toEqual({ images: 0, unknown: 1, failed: 0, used: 1 });
  });

  test('is interrupted with its images if its provider is no longer registered', async () => {
    const id = await leftAfterFirstImage(3);

    const second = await begin({ name: 'another', reply: replyWith(bytes) });

    const job = await ended(second, id);
    expect(job).toMatchObject({ status: 'interrupted', error: { details: UNKNOWN } });
    expect(job.partial_result?.data.map(({ index }) => index)).toEqual([0]);
    expect(second.provider.calls).toEqual([]);
    expect(await usage(second)).toEqual({ images: 1, unknown: 1, failed: 1, used: 2 });
  });

  test('submits a new task if the continued task has failed and made nothing, and forgets the old ticket', async () => {
    const retry = { attempts: 2, backoffMs: 0 };
    const id = await leftWithTicket({ retry });
    const second = await begin({ retry });
    const failed = new BridgeError('upstream', 'the task failed', { transient: true });
    (await second.provider.call(0)).fail(failed);
    const again = await second.provider.call(1);
    again.dispatch();
    await second.stop();

    const third = await begin({ retry, reply: replyWith(bytes) });

    expect(tickets(second)).toEqual(['ticket of 0', undefined]);
    expect(await ended(third, id)).toMatchObject({ status: 'interrupted' });
    expect(third.provider.calls).toEqual([]);
  });

  test('is interrupted if the ticket was too long to be stored', async () => {
    const first = await begin();
    const id = await submit(first, 1);
    const call = await first.provider.call(0);
    call.dispatch();
    const isStored = await call.accept('t'.repeat(2049));
    await first.stop();

    const second = await begin({ reply: replyWith(bytes) });

    expect(isStored).toBe(false);
    expect(await ended(second, id)).toMatchObject({ status: 'interrupted' });
  });
});
