import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Admission } from '../../../lib/admission/admission.ts';
import { ImageResponse } from '../../../lib/contract/reply/image-response.ts';
import type { CapabilityDocument } from '../../../lib/contract/resources/provider.ts';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import type { VerifiedEvent } from '../../../lib/generation/generation-events.ts';
import { ByteParts } from '../../../lib/platform/byte-parts.ts';
import { replyWith, type Script } from '../../support/scripted-provider.ts';
import { appServer } from './capability-documents.ts';
import { type GenerationRig, openGenerationRig } from './generation-rig.ts';
import { image } from './images.ts';
import { inlineImage, requestOf } from './requests.ts';

const rigs: GenerationRig[] = [];
let png = Buffer.alloc(0);

beforeAll(async () => {
  png = await image();
});
afterEach(async () => {
  await Promise.all(rigs.splice(0).map((rig) => rig.close()));
});

describe('createGeneration', () => {
  it('returns a complete reply', async () => {
    const rig = await open({ reply: (call) => replyWith(png, { revisedPrompt: 'red' })(call) });

    const { response, publications } = await run(rig, {
      parameters: { n: 2, size: '32x24', output_format: 'png' },
    });

    const sha256 = createHash('sha256').update(png).digest('hex');
    const data = [0, 1].map((index) => ({
      type: 'b64_json',
      b64_json: new ByteParts([png]),
      index,
      format: 'png',
      width: 32,
      height: 24,
      bytes: png.length,
      sha256,
      generation_ms: 0,
      revised_prompt: 'red',
      provenance: { found: 'none', credentials: 'none', mark: 'none' },
    }));
    expect(response).toEqual({
      id: 'request-1',
      created: Math.floor(rig.clock.nowMs() / 1000),
      provider: 'scripted',
      model: 'scripted-image',
      requested: response.effective,
      effective: expect.objectContaining({ n: 2, size: '32x24', aspect_ratio: null }),
      normalizations: [],
      data,
      revised_prompt: 'red',
      cost: { basis: 'unknown' },
      timings: { queue_ms: 0, input_ms: 0, provider_ms: 0, artifact_ms: 0, total_ms: 0 },
      delivered: [0, 1].map((index) => ({
        index,
        size: 'honoured',
        format: 'honoured',
        alpha: 'unspecified',
      })),
      warnings: [],
    });
    expect(publications).toEqual([]);
  });

  it.each([
    {},
    { parameters: { n: 3, failure_policy: 'best_effort' } },
    { output: { response_format: 'metadata' } },
    { output: { response_format: 'artifact', directory: 'a/b', filename_prefix: 'boat' } },
    { output: { response_format: 'url' } },
    { parameters: { size: '1x1', quality: 'max' }, policies: { compatibility: 'normalize' } },
  ])('returns a reply to %j that matches the schema', async (sent) => {
    const rig = await open({ reply: (call) => replyWith(png)(call) });

    const { response } = await run(rig, sent);

    const data = response.data.map((it) => ('b64_json' in it ? { ...it, b64_json: 'AA==' } : it));
    expect(v.safeParse(ImageResponse, { ...response, data }).issues).toBeUndefined();
  });

  it('delivers artifacts by name, which are pending until they are committed', async () => {
    const rig = await open({ reply: (call) => replyWith(png)(call) });
    const sent = { output: { response_format: 'artifact', directory: 'boats', filename: 'red' } };

    const { response, publications } = await run(rig, sent);

    expect(response.data).toEqual([
      expect.objectContaining({
        type: 'artifact',
        id: publications[0]?.record.id,
        name: 'boats/red.png',
      }),
    ]);
    expect(Object.keys(await rig.artifacts.onDisk())).toEqual(['boats/red.png']);
    await expect(
      rig.artifacts.store.find('anonymous', publications[0]?.record.id ?? ''),
    ).resolves.toBeUndefined();
  });

  it('delivers URLs below the base URL of the client', async () => {
    const rig = await open({ reply: (call) => replyWith(png)(call) });

    const { response, publications } = await run(rig, { output: { response_format: 'url' } });

    const id = publications[0]?.record.id;
    expect(response.data[0]).toMatchObject({
      type: 'url',
      id,
      url: `http://localhost:8787/v1/artifacts/${id}`,
    });
  });

  it('returns metadata without images, and stores no file', async () => {
    const rig = await open({ reply: (call) => replyWith(png)(call) });

    const { response, publications } = await run(rig, { output: { response_format: 'metadata' } });

    expect(response.data[0]).toMatchObject({ type: 'metadata', width: 32, bytes: png.length });
    expect(response.data[0]).not.toHaveProperty('b64_json');
    expect(publications).toEqual([]);
    expect(await rig.artifacts.onDisk()).toEqual({});
  });

  it('reports the name and the index of each artifact, in whatever order the calls end', async () => {
    const rig = await open({}, oneByOne(appServer));
    const sent = {
      parameters: { n: 3 },
      output: { response_format: 'artifact', filename_prefix: 'boat' },
    };
    const images = await Promise.all([10, 20, 30].map((width) => image({ width })));

    const running = rig.run(requestOf(sent), rig.newContext());
    await rig.provider.call(2);
    for (const nth of [2, 0, 1]) {
      const call = await rig.provider.call(nth);
      call.succeed({ outputs: [{ bytes: images[call.request.indices[0] ?? 0] ?? png }] });
    }

    const { response, publications } = await running.result;
    expect(response.data.map(({ index, width }) => [index, width])).toEqual([
      [0, 10],
      [1, 20],
      [2, 30],
    ]);
    expect(response.data.map((it) => 'name' in it && it.name)).toEqual(
      publications.map(({ record }) => record.name),
    );
  });

  it('reports the failures of best_effort beside the images', async () => {
    const rig = await open(
      {
        reply(call) {
          if (call.request.indices[0] === 1) {
            call.dispatch();
            call.fail(new BridgeError('upstream', 'no', { details: { upstream_code: 'x' } }));
          } else replyWith(png)(call);
        },
      },
      oneByOne(appServer),
    );

    const { response } = await run(rig, { parameters: { n: 3, failure_policy: 'best_effort' } });

    expect(response.data.map(({ index }) => index)).toEqual([0, 2]);
    expect(response.delivered.map(({ index }) => index)).toEqual([0, 2]);
    expect(response.failures).toEqual([
      {
        index: 1,
        error: {
          code: 'upstream',
          message: 'no',
          retryable: false,
          provider: 'scripted',
          details: { upstream_code: 'x', provider_attempts: 1 },
          suggestions: expect.arrayContaining([expect.any(String)]),
        },
        generation_ms: 0,
      },
    ]);
    expect(response.warnings).toEqual(['partial_output_failure']);
  });

  it.each([
    ['normalize', ['0 honoured', '2 honoured'], [1], 'partial_output_failure'],
    ['best_effort', ['0 honoured', '1 changed', '2 honoured'], [], 'transparency_failed'],
  ])(
    'checks the transparency of each output on its own, under %s',
    async (compatibility, ...expected) => {
      const seeThrough = await image({ alpha: 0.5 });
      const rig = await open(
        { reply: (call) => replyWith(call.request.indices[0] === 1 ? png : seeThrough)(call) },
        oneByOne({ ...appServer, transparent_background: 'native' }),
      );

      const { response } = await run(rig, {
        parameters: { n: 3, background: 'transparent', failure_policy: 'best_effort' },
        policies: { compatibility },
      });

      const [delivered, failed, warning] = expected;
      expect(response.delivered.map(({ index, alpha }) => `${index} ${alpha}`)).toEqual(delivered);
      expect(response.failures?.map(({ index }) => index)).toEqual(failed);
      expect(response.warnings).toEqual([warning]);
    },
  );

  it('lists an empty list of failures under best_effort, and no list under fail_fast', async () => {
    const rig = await open({ reply: (call) => replyWith(png)(call) });

    const bestEffort = await run(rig, { parameters: { failure_policy: 'best_effort' } });
    const failFast = await run(rig);

    expect(bestEffort.response.failures).toEqual([]);
    expect(failFast.response).not.toHaveProperty('failures');
  });

  it('lists each warning once, in the order of the contract', async () => {
    const rig = await open(
      {
        reply(call) {
          if (call.request.indices[0] === 0) call.fail(new BridgeError('protocol', 'no'));
          else call.succeed({ outputs: [{ bytes: png }], warnings: ['sandbox_output'] });
        },
      },
      oneByOne({ ...appServer, sizes: { auto: true, allowed: ['32x32'], arbitrary: false } }),
    );

    const { response } = await run(rig, {
      negative_prompt: 'text',
      parameters: { n: 3, size: '32x32', output_format: 'webp', failure_policy: 'best_effort' },
      policies: { compatibility: 'normalize' },
    });

    expect(response.warnings).toEqual([
      'partial_output_failure',
      'negative_prompt_merged',
      'output_size_differs',
      'output_format_converted',
      'sandbox_output',
    ]);
  });

  it('uses the revised prompt of the first output for the reply', async () => {
    const rig = await open({
      reply: (call) =>
        call.succeed({ outputs: [{ bytes: png }, { bytes: png, revisedPrompt: 'second' }] }),
    });

    const { response } = await run(rig, { parameters: { n: 2 } });

    expect(response).not.toHaveProperty('revised_prompt');
    expect(response.data[1]).toHaveProperty('revised_prompt', 'second');
  });

  it('measures the time of each phase', async () => {
    const rig = await open();

    const running = rig.run(requestOf(), rig.newContext());
    const call = await rig.provider.call(0);
    await rig.clock.advance(1500);
    call.succeed({ outputs: [{ bytes: png }] });

    const { response } = await running.result;
    expect(response.timings).toEqual({
      queue_ms: 0,
      input_ms: 0,
      provider_ms: 1500,
      artifact_ms: 0,
      total_ms: 1500,
    });
  });

  it('verifies the images of a request before it calls the provider', async () => {
    const rig = await open({ reply: (call) => replyWith(png)(call) });
    const sent = { operation: 'edit', images: [inlineImage(png.subarray(0, -2))] };

    const running = rig.run(requestOf(sent), rig.newContext());

    await expect(running.started).rejects.toMatchObject({ code: 'input', param: 'images[0]' });
    await expect(running.result).rejects.toMatchObject({ code: 'input' });
    expect(rig.provider.calls).toEqual([]);
  });
});

describe('createGeneration, events', () => {
  it('starts once the work is admitted', async () => {
    const rig = await open();

    const running = rig.run(requestOf(), rig.newContext());

    await expect(running.started).resolves.toBeUndefined();
    (await rig.provider.call(0)).succeed({ outputs: [{ bytes: png }] });
    await running.result;
  });

  it('reports the stages in order, with the indices of the request, then ends', async () => {
    const rig = await open(
      {
        async reply(call) {
          const [index = 0] = call.request.indices;
          call.dispatch();
          call.context.onEvent({ type: 'progress', stage: 'generating', index });
          call.context.onEvent({ type: 'partial_image', index, partialIndex: 0, bytes: png });
          call.succeed({ outputs: [{ bytes: png }] });
        },
      },
      { ...oneByOne(appServer), partial_images: { min: 0, max: 3 } },
    );
    const parameters = { n: 2, partial_images: 1 };
    const sent = { parameters, policies: { batch_execution: 'sequential' } };

    const running = rig.run(requestOf(sent), rig.newContext());

    const valid = { bytes: png, format: 'png' };
    const ofOutput = (index: number) => [
      { type: 'progress', stage: 'dispatched' },
      { type: 'progress', stage: 'generating', index },
      { type: 'partial_image', index, partialIndex: 0, image: expect.objectContaining(valid) },
      { type: 'progress', stage: 'verifying', index },
    ];
    expect(await readAll(running.events)).toEqual([
      { type: 'progress', stage: 'queued' },
      { type: 'progress', stage: 'preparing' },
      ...ofOutput(0),
      ...ofOutput(1),
      { type: 'progress', stage: 'publishing' },
    ]);
  });

  it('reports no invalid partial image, and not more than requested', async () => {
    const rig = await open({
      reply(call) {
        const bytesOf = [png.subarray(0, -12), png, png, png];
        for (const [partialIndex, bytes] of bytesOf.entries()) {
          call.context.onEvent({ type: 'partial_image', index: 0, partialIndex, bytes });
        }
        call.succeed({ outputs: [{ bytes: png }] });
      },
    });

    const running = rig.run(requestOf({ parameters: { partial_images: 2 } }), rig.newContext());

    const shown = (await readAll(running.events)).filter(({ type }) => type === 'partial_image');
    expect(shown).toMatchObject([{ partialIndex: 1 }]);
  });

  it('discards all events once `ignoreEvents` was called, and ends the reader', async () => {
    const rig = await open();
    const running = rig.run(requestOf(), rig.newContext());
    const reading = readAll(running.events);
    const call = await rig.provider.call(0);
    await new Promise(setImmediate);

    running.ignoreEvents();
    call.dispatch();
    call.succeed({ outputs: [{ bytes: png }] });

    expect((await reading).map((event) => 'stage' in event && event.stage)).toEqual([
      'queued',
      'preparing',
    ]);
    await expect(running.result).resolves.toMatchObject({ response: { id: 'request-1' } });
  });

  it('does not start while the gate of its provider may still reject it', async () => {
    const refusal = new BridgeError('overloaded', 'the breaker is open');
    const rig = await open({}, undefined, { enterRoute: () => Promise.reject(refusal) });

    const running = rig.run(requestOf(), rig.newContext());

    await expect(running.started).rejects.toBe(refusal);
  });

  it('starts when it waits in the queue', async () => {
    const rig = await open({}, undefined, {
      enterOperation(_signal, onQueued) {
        onQueued?.(true);
        return new Promise(() => {});
      },
    });

    const running = rig.run(requestOf(), rig.newContext());

    await expect(running.started).resolves.toBeUndefined();
  });

  it('ends the events of a refused request', async () => {
    const rig = await open();

    const running = rig.run(requestOf({ routing: { model: 'unknown-model' } }), rig.newContext());

    expect(await readAll(running.events)).toEqual([]);
    await expect(running.result).rejects.toMatchObject({ code: 'unsupported_capability' });
  });
});

describe('createGeneration, endings', () => {
  it.each([
    [3000, 0],
    [60_000, 1],
    [90_000, 1],
    [null, 1],
  ])('counts a timeout of %s ms %i times for the circuit breaker', async (timeout_ms, failures) => {
    const { clock, generation, provider, newContext, admission } = await open();
    const context = newContext();
    const running = generation.run(requestOf({ timeout_ms }), context, context.signal);
    (await provider.call(0)).dispatch();

    await clock.advance(timeout_ms ?? 60_000);

    await expect(running.result).rejects.toMatchObject({ code: 'timeout' });
    expect(admission.snapshot().providers['scripted']?.breaker.failures).toBe(failures);
  });

  it('ends at the deadline of the request', async () => {
    const rig = await open();

    const running = rig.run(requestOf({ timeout_ms: 3000 }), rig.newContext());
    await rig.provider.call(0);
    await rig.clock.advance(3000);

    await expect(running.result).rejects.toMatchObject({
      code: 'timeout',
      retryable: true,
      provider: 'scripted',
    });
  });

  it('ends at the deadline of the settings if the request has none', async () => {
    const rig = await open();

    const running = rig.run(requestOf(), rig.newContext());
    (await rig.provider.call(0)).dispatch();
    await rig.clock.advance(60_000);

    await expect(running.result).rejects.toMatchObject({
      code: 'timeout',
      retryable: false,
      details: { outcome: 'unknown', provider_stopped: true },
    });
  });

  it('leaves no timer', async () => {
    const rig = await open({ reply: (call) => replyWith(png)(call) });

    await run(rig);

    expect(rig.clock.waiting).toBe(0);
  });

  it('ends when the client disconnects', async () => {
    const rig = await open();
    const context = rig.newContext();

    const running = rig.run(requestOf(), context);
    const call = await rig.provider.call(0);
    context.disconnect(new BridgeError('cancelled', 'the client has disconnected'));

    await expect(running.result).rejects.toMatchObject({ code: 'cancelled' });
    expect(call.context.signal.aborted).toBe(true);
  });

  it('does no work for a client that has already disconnected', async () => {
    const rig = await open({ reply: (call) => replyWith(png)(call) });
    const context = rig.newContext();
    context.disconnect(new BridgeError('cancelled', 'the client has disconnected'));

    const running = rig.run(requestOf(), context);

    await expect(running.result).rejects.toMatchObject({ code: 'cancelled' });
    expect(rig.provider.calls).toEqual([]);
  });

  it('publishes no image under fail_fast if one output is invalid', async () => {
    const rig = await open(
      {
        reply(call) {
          const isBroken = call.request.indices[0] === 2;
          replyWith(isBroken ? png.subarray(0, -3) : png)(call);
        },
      },
      oneByOne(appServer),
    );
    const sent = { parameters: { n: 3 }, output: { response_format: 'artifact' } };

    await expect(run(rig, sent)).rejects.toMatchObject({ code: 'protocol' });

    expect(await rig.artifacts.onDisk()).toEqual({});
    await expect(rig.artifacts.state.listIntents()).resolves.toEqual([]);
  });

  it('publishes the valid images under best_effort', async () => {
    const rig = await open(
      {
        reply(call) {
          const isBroken = call.request.indices[0] === 2;
          replyWith(isBroken ? png.subarray(0, -3) : png)(call);
        },
      },
      oneByOne(appServer),
    );
    const sent = {
      parameters: { n: 3, failure_policy: 'best_effort' },
      output: { response_format: 'artifact' },
    };

    const { publications } = await run(rig, sent);

    expect(publications).toHaveLength(2);
    expect(Object.keys(await rig.artifacts.onDisk())).toHaveLength(2);
  });

  it('reports an image that was made but could not be stored as not retryable', async () => {
    const rig = await open({ reply: replyWith(png) });
    rig.artifacts.state.setReadOnly(true);

    const { events, result } = rig.run(
      requestOf({ parameters: { n: 2 }, output: { response_format: 'artifact' } }),
    );
    for await (const event of events) {
      // The deadline ends the wait for the store.
      if ('stage' in event && event.stage === 'publishing') await rig.clock.advance(60_000);
    }

    await expect(result).rejects.toMatchObject({
      code: 'overloaded',
      retryable: false,
      details: { reason: 'state_store_read_only', succeeded_outputs: 2 },
    });
    expect(rig.provider.calls).toHaveLength(1);
  });

  it('rejects a name that is taken before anything is sent, and leaves no file', async () => {
    const rig = await open({ reply: (call) => replyWith(png)(call) });
    const sent = { output: { response_format: 'artifact', filename: 'red.png' } };
    await run(rig, sent);

    await expect(run(rig, sent)).rejects.toMatchObject({ code: 'artifact_exists' });

    expect(Object.keys(await rig.artifacts.onDisk())).toEqual(['red.png']);
    expect(rig.provider.calls).toHaveLength(1);
  });
});

async function open(
  script: Partial<Script> = {},
  capabilities?: CapabilityDocument,
  admission: Partial<Admission> = {},
) {
  const rig = await openGenerationRig(script, capabilities, admission);
  rigs.push(rig);
  return rig;
}

function run(rig: GenerationRig, sent: object = {}) {
  return rig.run(requestOf(sent), rig.newContext()).result;
}

function oneByOne(capabilities: CapabilityDocument): CapabilityDocument {
  return { ...capabilities, provider: 'scripted' };
}

async function readAll(events: AsyncIterable<VerifiedEvent>): Promise<VerifiedEvent[]> {
  const read: VerifiedEvent[] = [];
  for await (const event of events) read.push(event);
  return read;
}
