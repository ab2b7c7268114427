import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDeadline } from '../../../../lib/admission/deadline.ts';
import type { CapabilityDocument } from '../../../../lib/contract/resources/provider.ts';
import { BridgeError } from '../../../../lib/errors/bridge-error.ts';
import { createCallProvider } from '../../../../lib/generation/call/call-provider.ts';
import { createFanOut, type RouteWork } from '../../../../lib/generation/call/fan-out.ts';
import type { RouteResult } from '../../../../lib/generation/call/outcome.ts';
import type { EarlierWork } from '../../../../lib/generation/earlier-work-port.ts';
import { createFinish } from '../../../../lib/generation/finish/finish.ts';
import type { GenerationEvent } from '../../../../lib/generation/generation-events.ts';
import { createLedger } from '../../../../lib/generation/ledger/ledger.ts';
import { startTimes } from '../../../../lib/generation/times.ts';
import { silentMetrics } from '../../../../lib/metrics/metrics.ts';
import { newLedger, recordAccount } from '../../../support/ledgers.ts';
import { createManualClock } from '../../../support/manual-clock.ts';
import { noPrices } from '../../../support/no-prices.ts';
import { NO_CREDENTIALS } from '../../../support/provenance/no-credentials.ts';
import {
  createScriptedProvider,
  replyWith,
  type Script,
  type ScriptedCall,
} from '../../../support/scripted-provider.ts';
import { anything } from '../capability-documents.ts';
import { image, openEngine } from '../images.ts';
import { planOf } from '../plans.ts';
import { requestOf } from '../requests.ts';

const GRACE_MS = 1000;
const engine = openEngine();
let png = Buffer.alloc(0);

beforeAll(async () => {
  png = await image();
});
afterAll(() => engine.close());

describe('createFanOut', () => {
  it.each([
    [1, 1, [[0]]],
    [3, 1, [[0], [1], [2]]],
    [4, 4, [[0, 1, 2, 3]]],
    [
      6,
      4,
      [
        [0, 1, 2, 3],
        [4, 5],
      ],
    ],
    [
      8,
      4,
      [
        [0, 1, 2, 3],
        [4, 5, 6, 7],
      ],
    ],
  ])('splits %i outputs, %i per call, into %j', async (n, native, expected) => {
    const { fanOut, provider } = rig({ reply: (call) => replyWith(png)(call) }, { native });

    const { outputs } = await fanOut({ parameters: { n } });

    expect(provider.calls.map(({ request }) => request.indices)).toEqual(expected);
    expect(provider.calls.map(({ request }) => request.parameters.n)).toEqual(
      expected.map((indices) => indices.length),
    );
    expect(outputs.map(({ index }) => index)).toEqual(Array.from({ length: n }, (_, i) => i));
  });

  it('sorts outputs by index, in whatever order their calls end', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 5 }),
        async (native, order) => {
          const { fanOut, provider } = rig({}, { native });
          const running = fanOut({ parameters: { n: 5 } });
          const last = Math.ceil(5 / native) - 1;
          await provider.call(last);

          for (const nth of order.filter((it) => it <= last)) {
            const call = await provider.call(nth);
            const { indices } = call.request;
            call.succeed({
              outputs: indices.map((index) => ({ bytes: png, revisedPrompt: `${index}` })),
            });
          }

          const { outputs } = await running;
          expect(outputs.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4]);
          expect(outputs.map(({ revisedPrompt }) => revisedPrompt)).toEqual([
            '0',
            '1',
            '2',
            '3',
            '4',
          ]);
        },
      ),
      { numRuns: 15 },
    );
  });

  it('publishes only the images of a continued call that an ended process has not published', async () => {
    const { fanOut, provider } = rig({ reply: (call) => replyWith(png)(call) }, { native: 2 });
    const call = { call: 0, provider: 'sandbox', indices: [0, 1], ticket: 'a ticket' };
    const earlier = {
      renewals: 0,
      provider: 'sandbox',
      model: 'a-model',
      calls: [call],
      images: [{ facts: { index: 0, generation_ms: 1 } }],
    } as unknown as EarlierWork;
    const published: number[] = [];
    const publish = async ({ outputs }: RouteResult) => {
      published.push(...outputs.map(({ index }) => index));
    };

    await fanOut({ parameters: { n: 2 } }, publish, earlier);

    expect(provider.calls.map(({ request }) => request.indices)).toEqual([[0, 1]]);
    expect(published).toEqual([1]);
  });

  it('adds the usage and collects the warnings of all calls', async () => {
    const { fanOut } = rig({
      reply(call) {
        call.dispatch();
        call.succeed({
          outputs: [{ bytes: png }],
          usage: { output_tokens: 10, provider: { images: 1 } },
          warnings: ['sandbox_output'],
        });
      },
    });

    const { usage, warnings } = await fanOut({ parameters: { n: 3, size: '64x64' } });

    expect(usage).toEqual({ output_tokens: 30, provider: { images: 3 } });
    expect(new Set(warnings)).toEqual(new Set(['sandbox_output', 'output_size_differs']));
  });

  it('adds a warning about a retry that succeeded', async () => {
    const { fanOut } = rig({
      retry: { attempts: 2, backoffMs: 0 },
      reply(call) {
        if (call.context.attempt === 2) replyWith(png)(call);
        else call.fail(new BridgeError('upstream', 'again', { retryable: true, transient: true }));
      },
    });

    const running = fanOut();
    await running.clock.advance(1);

    expect((await running).warnings).toEqual(['transient_provider_retry_used']);
  });

  it('measures the time of the provider for an output, without the wait for a slot', async () => {
    const { fanOut, provider, clock } = rig({}, { parallel: 1 });

    const running = fanOut({ parameters: { n: 2 } });
    for (const [nth, ms] of [
      [0, 300],
      [1, 200],
    ] as const) {
      const call = await provider.call(nth);
      await clock.advance(ms);
      call.succeed({ outputs: [{ bytes: png }] });
    }

    const { outputs } = await running;
    expect(outputs.map(({ generationMs }) => generationMs)).toEqual([300, 200]);
    expect(running.times.report()).toMatchObject({ provider_ms: 500, artifact_ms: 0 });
  });

  it('reports the verification of each output', async () => {
    const { fanOut, events } = rig({ reply: (call) => replyWith(png)(call) }, { native: 2 });

    await fanOut({ parameters: { n: 2 } });

    expect(events).toEqual([
      { type: 'progress', stage: 'dispatched' },
      { type: 'progress', stage: 'verifying', index: 0 },
      { type: 'progress', stage: 'verifying', index: 1 },
    ]);
  });
});

describe('createFanOut, parallelism', () => {
  it('never runs more simultaneous calls of a provider than it has slots', async () => {
    const { fanOut, most } = countingRig({ parallel: 3 });

    await fanOut({ parameters: { n: 10 } });

    expect(most()).toBe(3);
  });

  it('limits the calls of all requests to a provider together', async () => {
    const { fanOut, most, provider } = countingRig({ parallel: 3 });

    await Promise.all([1, 2, 3].map(() => fanOut({ parameters: { n: 5 } })));

    expect(most()).toBe(3);
    expect(provider.calls).toHaveLength(15);
  });

  it('uses the slots of the provider, not the slots of the model of the first request', async () => {
    const { fanOut, most } = countingRig({ parallel: 1 }, { maxParallelCalls: 3 });

    await fanOut({ parameters: { n: 5 } });

    expect(most()).toBe(3);
  });

  it('runs one call after the other if the request is sequential', async () => {
    const { fanOut, most, provider } = countingRig({ parallel: 255 });

    await fanOut({ parameters: { n: 4 }, policies: { batch_execution: 'sequential' } });

    expect(most()).toBe(1);
    expect(provider.calls.map(({ request }) => request.indices)).toEqual([[0], [1], [2], [3]]);
  });

  it('runs the turns of a session one after the other', async () => {
    const { fanOut, most } = countingRig({ parallel: 255 });

    await fanOut({ parameters: { n: 3 }, session: { mode: 'persistent', key: 'a' } });

    expect(most()).toBe(1);
  });

  it('releases every slot, however its call ends', async () => {
    let calls = 0;
    const { fanOut, provider } = rig(
      {
        reply(call) {
          calls += 1;
          if (calls % 2 === 0) call.fail(new BridgeError('upstream', 'no'));
          else replyWith(png)(call);
        },
      },
      { parallel: 2 },
    );

    await fanOut({ parameters: { n: 9, failure_policy: 'best_effort' } });

    expect(provider.calls).toHaveLength(9);
  });
});

describe('createFanOut, fail_fast', () => {
  it('rejects with the first failure and stops the others', async () => {
    const { fanOut, provider } = rig();

    const running = fanOut({ parameters: { n: 3 } });
    const second = await provider.call(1);
    const third = await provider.call(2);
    second.fail(new BridgeError('safety_rejected', 'no'));

    await expect(running).rejects.toMatchObject({ code: 'safety_rejected', provider: 'scripted' });
    expect(third.context.signal.aborted).toBe(true);
  });

  it('starts no further call after a failure', async () => {
    const { fanOut, provider } = rig(
      { reply: (call) => call.fail(new BridgeError('upstream', 'no')) },
      { parallel: 1 },
    );

    await expect(fanOut({ parameters: { n: 5 } })).rejects.toMatchObject({ code: 'upstream' });
    expect(provider.calls).toHaveLength(1);
  });

  it('starts no further call after a failure if calls run one by one', async () => {
    const { fanOut, provider } = rig({
      reply: (call) => call.fail(new BridgeError('upstream', 'no')),
    });
    const policies = { batch_execution: 'sequential' };

    await expect(fanOut({ parameters: { n: 5 }, policies })).rejects.toMatchObject({
      code: 'upstream',
    });
    expect(provider.calls).toHaveLength(1);
  });

  it.each([
    ['had been dispatched and had not ended', true, { outcome: 'unknown' }, false],
    ['had not been dispatched', false, {}, true],
  ] as const)('reports if a sibling %s', async (_, isDispatched, details, retryable) => {
    const { fanOut, provider } = rig();

    const running = fanOut({ parameters: { n: 2 } });
    const first = await provider.call(0);
    const second = await provider.call(1);
    if (isDispatched) second.dispatch();
    first.fail(new BridgeError('upstream', 'again', { retryable: true, transient: true }));

    const error = await running.then(
      () => undefined,
      (thrown: BridgeError) => thrown,
    );
    expect(error).toMatchObject({ code: 'upstream', retryable, details });
    expect(error?.details['outcome']).toBe(isDispatched ? 'unknown' : undefined);
  });

  it('reports a failure as not retryable after a sibling has succeeded', async () => {
    const { fanOut, provider } = rig({}, { parallel: 1 });

    const running = fanOut({ parameters: { n: 2 } });
    replyWith(png)(await provider.call(0));
    (await provider.call(1)).fail(new BridgeError('rate_limited', 'slow down'));

    await expect(running).rejects.toMatchObject({
      code: 'rate_limited',
      retryable: false,
      details: { succeeded_outputs: 1 },
    });
  });

  it('counts a sibling whose image the provider returned, although its verification was stopped', async () => {
    const { fanOut, provider } = rig();

    const running = fanOut({ parameters: { n: 2 } });
    const [first, second] = [await provider.call(0), await provider.call(1)];
    replyWith(png)(first);
    second.fail(new BridgeError('rate_limited', 'slow down'));

    await expect(running).rejects.toMatchObject({
      code: 'rate_limited',
      retryable: false,
      details: { succeeded_outputs: 1 },
    });
  });

  it('knows the outcome of siblings that failed in the same moment', async () => {
    const { fanOut } = rig({
      reply(call) {
        call.dispatch();
        call.fail(new BridgeError('rate_limited', 'slow down'));
      },
    });

    await expect(fanOut({ parameters: { n: 3 } })).rejects.toMatchObject({
      code: 'rate_limited',
      retryable: true,
    });
  });

  it('waits for a sibling to stop, at most for the grace period', async () => {
    const { fanOut, provider, clock } = rig({ obeys: false });

    const running = fanOut({ parameters: { n: 2 } });
    const first = await provider.call(0);
    (await provider.call(1)).dispatch();
    first.fail(new BridgeError('safety_rejected', 'no'));
    await clock.advance(GRACE_MS);

    await expect(running).rejects.toMatchObject({
      code: 'safety_rejected',
      details: { outcome: 'unknown' },
    });
  });

  it('fails if one image is invalid, even if the others are valid', async () => {
    const { fanOut } = rig({
      reply(call) {
        const isBad = call.request.indices.includes(1);
        replyWith(isBad ? png.subarray(0, -1) : png)(call);
      },
    });

    await expect(fanOut({ parameters: { n: 3 } })).rejects.toMatchObject({
      code: 'protocol',
      provider: 'scripted',
      details: { reason: 'truncated' },
    });
  });

  it.each([0, 1, 3])('rejects %i images if two were requested', async (count) => {
    const { fanOut } = rig(
      {
        reply: (call) =>
          call.succeed({ outputs: Array.from({ length: count }, () => ({ bytes: png })) }),
      },
      { native: 2 },
    );

    await expect(fanOut({ parameters: { n: 2 } })).rejects.toMatchObject({ code: 'protocol' });
  });
});

describe('createFanOut, best_effort', () => {
  const bestEffort = { failure_policy: 'best_effort' };

  it('delivers the images and lists the failures, by index', async () => {
    const { fanOut } = rig({ reply: (call) => failOn([1, 3], call) });

    const { outputs, failures, warnings } = await fanOut({ parameters: { n: 4, ...bestEffort } });

    expect(outputs.map(({ index }) => index)).toEqual([0, 2]);
    expect(failures.map(({ index, error }) => [index, error.code])).toEqual([
      [1, 'upstream'],
      [3, 'upstream'],
    ]);
    expect(warnings).toContain('partial_output_failure');
  });

  it('fails each output of a call that fails', async () => {
    const { fanOut } = rig({ reply: (call) => failOn([2], call) }, { native: 2 });

    const { outputs, failures } = await fanOut({ parameters: { n: 4, ...bestEffort } });

    expect(outputs.map(({ index }) => index)).toEqual([0, 1]);
    expect(failures.map(({ index }) => index)).toEqual([2, 3]);
  });

  it('fails only the invalid image of a call', async () => {
    const { fanOut } = rig(
      {
        reply: (call) =>
          call.succeed({ outputs: [{ bytes: png }, { bytes: png.subarray(1) }, { bytes: png }] }),
      },
      { native: 3 },
    );

    const { outputs, failures } = await fanOut({ parameters: { n: 3, ...bestEffort } });

    expect(outputs.map(({ index }) => index)).toEqual([0, 2]);
    expect(failures.map(({ index, error }) => [index, error.code])).toEqual([[1, 'protocol']]);
  });

  it('rejects if all outputs fail', async () => {
    const { fanOut, provider } = rig({ reply: (call) => failOn([0, 1, 2], call) });

    await expect(fanOut({ parameters: { n: 3, ...bestEffort } })).rejects.toMatchObject({
      code: 'upstream',
    });
    expect(provider.calls).toHaveLength(3);
  });

  it('delivers the finished images at the deadline, and reports the other indices as timeouts', async () => {
    const { fanOut, provider, clock } = rig({ obeys: false }, { parallel: 3, timeoutMs: 5000 });

    const running = fanOut({ parameters: { n: 5, ...bestEffort } });
    (await provider.call(1)).succeed({ outputs: [{ bytes: png }] });
    (await provider.call(3)).dispatch();
    await running.events.verified(1);
    await clock.advance(5000 + GRACE_MS);

    const { outputs, failures } = await running;
    expect(outputs.map(({ index }) => index)).toEqual([1]);
    expect(
      failures.map(({ index, error }) => [index, error.code, error.retryable, error.details]),
    ).toEqual([
      [0, 'timeout', false, { outcome: 'unknown', provider_stopped: false, provider_attempts: 1 }],
      [2, 'timeout', false, { outcome: 'unknown', provider_stopped: false, provider_attempts: 1 }],
      [3, 'timeout', false, { outcome: 'unknown', provider_stopped: false, provider_attempts: 1 }],
      [4, 'timeout', true, { provider_stopped: true }],
    ]);
  });

  it('reports a timeout for every output if calls run one by one', async () => {
    const { fanOut, provider, clock } = rig({}, { timeoutMs: 5000 });
    const policies = { batch_execution: 'sequential' };

    const running = fanOut({ parameters: { n: 3, ...bestEffort }, policies });
    (await provider.call(0)).succeed({ outputs: [{ bytes: png }] });
    await provider.call(1);
    await clock.advance(5000);

    const { outputs, failures } = await running;
    expect(outputs.map(({ index }) => index)).toEqual([0]);
    expect(failures.map(({ index, error }) => [index, error.code])).toEqual([
      [1, 'timeout'],
      [2, 'timeout'],
    ]);
    expect(provider.calls).toHaveLength(2);
  });

  it('delivers nothing to a client that has disconnected', async () => {
    const { fanOut, provider, client } = rig();

    const running = fanOut({ parameters: { n: 2, ...bestEffort } });
    (await provider.call(0)).succeed({ outputs: [{ bytes: png }] });
    await running.events.verified(0);
    client.abort(new BridgeError('cancelled', 'the client has disconnected'));

    await expect(running).rejects.toMatchObject({ code: 'cancelled', retryable: false });
  });
});

describe('createFanOut, once nothing further may be sent', () => {
  const cancelled = new BridgeError('cancelled', 'the job was cancelled');

  it.each(['fail_fast', 'best_effort'])('finishes the calls in flight under %s', async (policy) => {
    const { fanOut, provider, calls } = rig({}, { parallel: 2 });
    const delivered: number[] = [];

    const publish = async ({ outputs }: RouteResult) =>
      void delivered.push(...outputs.map(({ index }) => index));
    const running = fanOut({ parameters: { n: 3, failure_policy: policy } }, publish);
    const [first, second] = [await provider.call(0), await provider.call(1)];
    for (const { dispatch } of [first, second]) dispatch();
    calls.abort(cancelled);
    first.succeed({ outputs: [{ bytes: png }] });
    await running.events.verified(0);
    second.succeed({ outputs: [{ bytes: png }] });
    await running.catch(() => {});

    expect(delivered).toEqual([0, 1]);
    expect(provider.calls).toHaveLength(2);
    expect(running.ledger.rows().map(({ progress, paid }) => [progress, paid])).toEqual([
      ['published', 'yes'],
      ['published', 'yes'],
      ['not_sent', 'no'],
    ]);
  });

  it('does not retry a failed call', async () => {
    const { fanOut, provider, calls } = rig({ retry: { attempts: 3, backoffMs: 1 } });

    const running = fanOut();
    const only = await provider.call(0);
    calls.abort(cancelled);
    only.fail(new BridgeError('upstream', 'again', { retryable: true, transient: true }));

    await expect(running).rejects.toMatchObject({ code: 'upstream' });
    expect(provider.calls).toHaveLength(1);
  });

  it('ends the wait before the next try of a call', async () => {
    const { fanOut, provider, calls, clock } = rig({ retry: { attempts: 3, backoffMs: 1000 } });

    const running = fanOut();
    const only = await provider.call(0);
    only.fail(new BridgeError('upstream', 'again', { retryable: true, transient: true }));
    await expect.poll(() => clock.waiting).toBeGreaterThan(1);
    calls.abort(cancelled);

    await expect(running).rejects.toMatchObject({ code: 'cancelled' });
    expect(provider.calls).toHaveLength(1);
  });
});

interface Setting {
  readonly native?: number;
  readonly parallel?: number;
  readonly timeoutMs?: number;
}

/** Creates everything that a fan-out needs. Only the provider and the time are scripted. */
function rig(script: Partial<Script> = {}, setting: Setting = {}) {
  const { native = 1, parallel = 255, timeoutMs = 60_000 } = setting;
  const clock = createManualClock();
  const client = new AbortController();
  const calls = new AbortController();
  const capabilities: CapabilityDocument = {
    ...anything,
    batching: {
      mode: 'fan_out',
      native_count: { min: 1, max: native },
      max_parallel_outputs: parallel,
    },
    persistent_sessions: true,
  };
  const provider = createScriptedProvider({ capabilities, ...script });
  const events: GenerationEvent[] = [];
  const ids = { newFraction: () => 0.5 };
  const finish = createFinish({ engine, credentials: NO_CREDENTIALS, inputs: [] });
  const watched = watchFinish(finish);
  const callProvider = createCallProvider({ clock, ids, graceMs: GRACE_MS });
  const run = createFanOut({ clock, callProvider, metrics: silentMetrics, prices: noPrices });

  function fanOut(sent: object = {}, publish?: RouteWork['publish'], earlier?: EarlierWork) {
    const ledger = earlier ? createLedger(recordAccount().account, 2, earlier) : newLedger();
    const times = startTimes(clock);
    ledger.beginRoute(provider.name);
    const running = run({
      plan: planOf(requestOf(sent), capabilities, { provider }),
      inputs: { images: [], references: [] },
      earlier,
      deadline: startDeadline(clock, timeoutMs, client.signal),
      noMoreCalls: calls.signal,
      publish,
      onEvent: (event) => events.push(event),
      ledger,
      times,
      finish: watched.finish,
    });
    running.catch(() => {});
    return Object.assign(running, { clock, events: watched, ledger, times });
  }
  return { fanOut, provider, clock, client, calls, events };
}

/** Wraps `finish`, so that a test can wait until an output has been verified, which takes real time. */
function watchFinish(finish: ReturnType<typeof createFinish>) {
  const waiting = new Map<number, () => void>();
  const done = new Set<number>();
  return {
    async finish(...given: Parameters<typeof finish>) {
      const finished = await finish(...given);
      done.add(finished.index);
      waiting.get(finished.index)?.();
      return finished;
    },
    verified(index: number): Promise<void> {
      return new Promise((resolve) => {
        if (done.has(index)) resolve();
        else waiting.set(index, resolve);
      });
    },
  };
}

/** Counts simultaneous calls. Each call lasts some turns of the event loop. */
function countingRig(setting: Setting, script: Partial<Script> = {}) {
  let now = 0;
  let most = 0;
  const made = rig(
    {
      ...script,
      async reply(call) {
        now += 1;
        most = Math.max(most, now);
        for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
        now -= 1;
        replyWith(png)(call);
      },
    },
    setting,
  );
  return { ...made, most: () => most };
}

function failOn(indices: readonly number[], call: ScriptedCall): void {
  if (call.request.indices.some((index) => indices.includes(index))) {
    call.fail(new BridgeError('upstream', 'no'));
  } else {
    replyWith(png)(call);
  }
}
