import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { CommitWait, Publisher } from '../../../lib/artifacts/publisher.ts';
import { unnamedCaller } from '../../../lib/contract/request/caller.ts';
import type { RequestContext } from '../../../lib/contract/request/request-context.ts';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import type { Generation } from '../../../lib/generation/generation.ts';
import type { VerifiedEvent } from '../../../lib/generation/generation-events.ts';
import { createImageRequests } from '../../../lib/image-requests/image-requests.ts';
import { createTraceLog } from '../../../lib/log/trace-log.ts';
import { ByteParts } from '../../../lib/platform/byte-parts.ts';
import { createReplay } from '../../../lib/replay/replay.ts';
import { toReplayPolicies } from '../../../lib/replay/replay-policies.ts';
import { createImageRuns, createRecentDurations } from '../../../lib/runs/image-run.ts';
import { createMemoryReplayStore } from '../../../lib/storage/memory/replay-store.ts';
import { recordAccount } from '../../support/ledgers.ts';
import { requestContext } from '../../support/request-context.ts';
import { replyWith, type Script, type ScriptedCall } from '../../support/scripted-provider.ts';
import { slices } from '../../support/slices.ts';
import { type GenerationRig, openGenerationRig } from '../generation/generation-rig.ts';
import { image } from '../generation/images.ts';
import { inlineBytes, wireRequestOf } from '../generation/requests.ts';

const trace = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const asArtifact = { output: { response_format: 'artifact', filename: 'boat.png' } };
const disconnected = new BridgeError('cancelled', 'the client has disconnected');

const rigs: GenerationRig[] = [];
let png = Buffer.alloc(0);

beforeAll(async () => {
  png = await image();
});
afterEach(async () => {
  await Promise.all(rigs.splice(0).map((rig) => rig.close()));
});

describe('createImageRequests', () => {
  it('returns the images', async () => {
    const { create } = await open();

    const { value: response } = await create();

    expect(response).toMatchObject({ id: 'request-1', provider: 'scripted' });
    expect(response.data).toHaveLength(1);
  });

  it('commits the publications before it returns', async () => {
    const { create, artifacts } = await open();

    const { data } = (await create(asArtifact)).value;

    const id = data[0] && 'id' in data[0] ? data[0].id : '';
    await expect(artifacts.store.find('anonymous', id)).resolves.toMatchObject({
      id,
      name: 'boat.png',
    });
    await expect(artifacts.store.find('another', id)).resolves.toBeUndefined();
  });

  it('removes the publications when the client disconnects before they are committed', async () => {
    const { create, context, artifacts } = await open({}, (real) => ({
      run(...given) {
        const running = real.run(...given);
        const result = running.result.then((it) => {
          context.disconnect(disconnected);
          return it;
        });
        return { ...running, result };
      },
    }));

    await expect(create(asArtifact)).rejects.toMatchObject({
      message: disconnected.message,
      details: { succeeded_outputs: 1 },
    });

    expect(await artifacts.onDisk()).toEqual({});
    await expect(artifacts.state.listIntents()).resolves.toEqual([]);
  });

  it('removes the publications when they cannot be committed', async () => {
    const refusal = new BridgeError('overloaded', 'the store refuses to write');
    const { create, artifacts } = await open({}, undefined, () => Promise.reject(refusal));

    await expect(create(asArtifact)).rejects.toMatchObject({
      message: refusal.message,
      retryable: false,
      details: { succeeded_outputs: 1 },
    });

    expect(await artifacts.onDisk()).toEqual({});
    await expect(artifacts.state.listIntents()).resolves.toEqual([]);
  });

  it('waits with the commit until the state store is available, but not beyond the deadline', async () => {
    const waits: (CommitWait | undefined)[] = [];
    const { create, context } = await open({}, undefined, async (_, wait) => {
      waits.push(wait);
    });

    await create({ ...asArtifact, timeout_ms: 5000 });

    expect(waits).toEqual([{ until: expect.any(AbortSignal), forMs: 5000 }]);
    context.disconnect(disconnected);
    expect(waits[0]?.until.aborted).toBe(true);
  });

  it('publishes and commits nothing when the images are part of the reply', async () => {
    let commits = 0;
    const { create } = await open({}, undefined, async () => {
      commits += 1;
    });

    await create();

    expect(commits).toBe(0);
  });

  it('keeps no events if no reader reads them', async () => {
    const kept: VerifiedEvent[] = [];
    const { create } = await open({ reply: withPartials(3) }, (real) => ({
      run(...given) {
        const running = real.run(...given);
        const result = running.result.then(async (it) => {
          for await (const event of running.events) kept.push(event);
          return it;
        });
        return { ...running, result };
      },
    }));

    await create({ parameters: { partial_images: 3 } });

    expect(kept).toEqual([]);
  });

  it.each<[string, object, string]>([
    ['an image that is none', { operation: 'edit', images: [inlineBytes(9)] }, 'input'],
    ['an unknown provider', { routing: { provider: 'missing' } }, 'invalid_request'],
    ['an unknown model', { routing: { model: 'unknown-model' } }, 'unsupported_capability'],
  ])('refuses %s', async (_, sent, code) => {
    const { create } = await open();

    await expect(create(sent)).rejects.toMatchObject({ code });
  });
});

describe('createImageRequests, repeats', () => {
  it.each([
    ['in the body', { idempotency_key: 'k' }, {}],
    ['in the header', {}, { idempotencyKey: 'k' }],
    ['in both', { idempotency_key: 'k' }, { idempotencyKey: 'k' }],
  ])(
    'replies to a repeated request with the key %s with the first image',
    async (_, sent, changes) => {
      const { create, provider } = await open();
      const first = await create({ idempotency_key: 'k' });

      const second = await create(sent, { ...changes, requestId: 'request-2' });

      expect(second).toEqual({ value: first.value, replayed: true });
      expect(first.replayed).toBe(false);
      expect(second.value.id).toBe('request-1');
      expect(provider.calls).toHaveLength(1);
    },
  );

  it('refuses two different keys before anything runs', async () => {
    const { create, provider } = await open();

    await expect(create({ idempotency_key: 'k' }, { idempotencyKey: 'l' })).rejects.toMatchObject({
      code: 'invalid_request',
      param: 'idempotency_key',
    });
    expect(provider.calls).toEqual([]);
  });

  it('refuses a different request with the same key', async () => {
    const { create, provider } = await open();
    await create({ idempotency_key: 'k' });

    await expect(create({ idempotency_key: 'k', prompt: 'a lake' })).rejects.toMatchObject({
      code: 'idempotency_conflict',
    });
    expect(provider.calls).toHaveLength(1);
  });

  it('replays the failure to commit a charged image, and does not call the provider again', async () => {
    const refusal = new BridgeError('overloaded', 'the store refuses to write');
    const { create, provider } = await open({}, undefined, () => Promise.reject(refusal));
    const sent = { ...asArtifact, idempotency_key: 'k' };
    const failure = { code: 'overloaded', retryable: false, details: { succeeded_outputs: 1 } };
    await expect(create(sent)).rejects.toMatchObject({ ...failure, headers: {} });

    const second = create(sent);

    const headers = { 'idempotent-replayed': 'true' };
    await expect(second).rejects.toMatchObject({ ...failure, headers });
    expect(provider.calls).toHaveLength(1);
  });

  it('replays the failure of a route that was charged for an unusable image', async () => {
    const { create, provider } = await open({
      reply: (call) => call.succeed({ outputs: [{ bytes: Buffer.from('no image') }] }),
    });
    await expect(create({ idempotency_key: 'k' })).rejects.toMatchObject({ code: 'protocol' });

    const second = create({ idempotency_key: 'k' });

    await expect(second).rejects.toMatchObject({ headers: { 'idempotent-replayed': 'true' } });
    expect(provider.calls).toHaveLength(1);
  });

  it('keeps the keys of different scopes apart', async () => {
    const { create, provider } = await open();
    await create({ idempotency_key: 'k' });

    const other = await create({ idempotency_key: 'k' }, { scope: 'another' });

    expect(other.replayed).toBe(false);
    expect(provider.calls).toHaveLength(2);
  });

  it('commits the publications of a request with a key once, although its client has disconnected', async () => {
    const { create, context, provider, artifacts } = await open({ reply: () => {} });
    const sent = { ...asArtifact, idempotency_key: 'k' };
    const left = create(sent);
    left.catch(() => {});
    const call = await provider.call(0);
    context.disconnect(disconnected);
    await expect(left).rejects.toBe(disconnected);
    const waiting = create(sent, { signal: new AbortController().signal });
    replyWith(png)(call);

    const { value, replayed } = await waiting;

    expect(replayed).toBe(true);
    const id = value.data[0] && 'id' in value.data[0] ? value.data[0].id : '';
    await expect(artifacts.store.find('anonymous', id)).resolves.toMatchObject({ id });
    expect(Object.keys(await artifacts.onDisk())).toHaveLength(1);
    expect(provider.calls).toHaveLength(1);
  });

  it('returns the image of the running work to the retry of a disconnected client', async () => {
    const { create, context, provider, lines } = await open({ reply: () => {} });
    const left = create({}, { retryCount: '0' });
    left.catch(() => {});
    const call = await provider.call(0);
    context.disconnect(disconnected);
    await expect(left).rejects.toBe(disconnected);
    const changes = { signal: new AbortController().signal, retryCount: '1' };
    const retry = create({}, { ...changes, requestId: 'request-2' });
    replyWith(png)(call);

    const { value, replayed } = await retry;

    expect(replayed).toBe(true);
    expect(value.id).toBe('request-1');
    expect(provider.calls).toHaveLength(1);
    expect(lines().map(({ event }) => event)).toEqual([
      'image_operation_started',
      'image_operation_succeeded',
    ]);
  });

  it('removes the publications if no retry comes in time', async () => {
    const { create, context, clock, provider, artifacts, lines } = await open({ reply: () => {} });
    const left = create(asArtifact, { retryCount: '0' });
    left.catch(() => {});
    const call = await provider.call(0);
    context.disconnect(disconnected);
    await expect(left).rejects.toBe(disconnected);
    replyWith(png)(call);
    await untilSome(async () => Object.keys(await artifacts.onDisk()).length === 1);

    await clock.advance(10_000);

    await untilSome(async () => (await artifacts.state.listIntents()).length === 0);
    expect(await artifacts.onDisk()).toEqual({});
    expect(lines().at(-1)).toMatchObject({
      event: 'image_operation_failed',
      error_code: 'cancelled',
    });
  });

  it('cancels the work when its client disconnects, without a key or a retry count', async () => {
    const { create, context, provider } = await open({ reply: () => {} });
    const left = create();
    left.catch(() => {});
    const call = await provider.call(0);

    context.disconnect(disconnected);

    await expect(left).rejects.toMatchObject({ code: 'cancelled' });
    expect(call.context.signal.aborted).toBe(true);
  });

  it('waits for work with a key before it closes, and cancels the work after the grace period', async () => {
    const { create, context, provider, replay } = await open({ reply: () => {} });
    const left = create({ idempotency_key: 'k' });
    left.catch(() => {});
    const call = await provider.call(0);
    context.disconnect(disconnected);
    const grace = new AbortController();
    let hasDrained = false;
    const draining = replay.drain(grace.signal).then(() => {
      hasDrained = true;
    });
    await new Promise(setImmediate);
    const before = { hasDrained, aborted: call.context.signal.aborted };
    grace.abort();

    await draining;

    expect(before).toEqual({ hasDrained: false, aborted: false });
    expect(call.context.signal.aborted).toBe(true);
    await replay.close();
  });
});

describe('createImageRequests, streams', () => {
  it('sends all events in order, and the images last', async () => {
    const { stream } = await open({ reply: withPartials(2) });

    const { value, replayed } = await stream({ parameters: { partial_images: 2 } });

    const partial = { type: 'partial_image', index: 0, format: 'png', width: 32, height: 24 };
    expect(await readAll(value)).toEqual([
      { type: 'started', request_id: 'request-1', created: 1_735_689_600 },
      { type: 'progress', stage: 'queued' },
      { type: 'progress', stage: 'preparing' },
      { type: 'progress', stage: 'dispatched' },
      { ...partial, partial_index: 0, b64_json: new ByteParts([png]) },
      { ...partial, partial_index: 1, b64_json: new ByteParts([png]) },
      { type: 'progress', stage: 'verifying', index: 0 },
      { type: 'progress', stage: 'publishing' },
      { type: 'completed', response: expect.objectContaining({ id: 'request-1' }) },
    ]);
    expect(replayed).toBe(false);
  });

  it('commits the publications before the last event', async () => {
    const { stream, artifacts } = await open();

    const { value } = await stream(asArtifact);

    for await (const event of value) {
      if (event.type !== 'completed') continue;
      const [image] = event.response.data;
      const id = image && 'id' in image ? image.id : '';
      await expect(artifacts.store.find('anonymous', id)).resolves.toMatchObject({ id });
    }
    expect.assertions(1);
  });

  it.each<[string, object, string]>([
    ['an image that is none', { operation: 'edit', images: [inlineBytes(9)] }, 'input'],
    ['an unknown model', { routing: { model: 'unknown-model' } }, 'unsupported_capability'],
    ['an unknown provider', { routing: { provider: 'missing' } }, 'invalid_request'],
  ])('refuses %s before the stream begins', async (_, sent, code) => {
    const { stream } = await open();

    await expect(stream(sent)).rejects.toMatchObject({ code });
  });

  it('ends the stream with an error if the provider fails', async () => {
    const failure = new BridgeError('upstream', 'the provider failed');
    const { stream } = await open({ reply: (call) => call.fail(failure) });

    const { value } = await stream();
    const read: unknown[] = [];
    const reading = readAll(value, read);

    await expect(reading).rejects.toMatchObject({ code: 'upstream', provider: 'scripted' });
    expect(read).toMatchObject([{ type: 'started' }, { stage: 'queued' }, { stage: 'preparing' }]);
  });

  it('cancels the work of a stream when its client disconnects, whatever its retry count', async () => {
    const { stream, context, provider, artifacts } = await open({ reply: () => {} });
    const { value } = await stream(asArtifact, { retryCount: '0' });
    const reading = readAll(value);
    reading.catch(() => {});
    const call = await provider.call(0);

    context.disconnect(disconnected);

    await expect(reading).rejects.toMatchObject({ code: 'cancelled' });
    expect(call.context.signal.aborted).toBe(true);
    expect(await artifacts.onDisk()).toEqual({});
  });

  it('continues a stream with a key when its client disconnects, and returns the result to the repeated request', async () => {
    const { stream, context, provider } = await open({ reply: () => {} });
    const { value } = await stream({ idempotency_key: 'k' });
    const reading = readAll(value);
    reading.catch(() => {});
    const call = await provider.call(0);
    context.disconnect(disconnected);
    await expect(reading).rejects.toBe(disconnected);
    const changes = { signal: new AbortController().signal, requestId: 'request-2' };
    const repeat = await stream({ idempotency_key: 'k' }, changes);
    replyWith(png)(call);

    expect(repeat.replayed).toBe(true);
    expect(await readAll(repeat.value)).toMatchObject([
      { type: 'started', request_id: 'request-2' },
      { type: 'completed', response: { id: 'request-1' } },
    ]);
    expect(provider.calls).toHaveLength(1);
  });

  it('replays a finished stream as its first and its last event', async () => {
    const { stream, provider } = await open({ reply: withPartials(1) });
    const sent = { idempotency_key: 'k', parameters: { partial_images: 1 } };
    await readAll((await stream(sent)).value);

    const { value, replayed } = await stream(sent, { requestId: 'request-2' });

    expect(replayed).toBe(true);
    expect((await readAll(value)).map(({ type }) => type)).toEqual(['started', 'completed']);
    expect(provider.calls).toHaveLength(1);
  });

  it('refuses a client that joined a refused stream, before the stream begins', async () => {
    const { stream } = await open();
    const sent = { idempotency_key: 'k', operation: 'edit', images: [inlineBytes(9)] };

    const [first, second] = await Promise.allSettled([stream(sent), stream(sent)]);

    expect(first).toMatchObject({ reason: { code: 'input', headers: {} } });
    const headers = { 'idempotent-replayed': 'true' };
    expect(second).toMatchObject({ reason: { code: 'input', headers } });
  });

  it('treats a stream and a request without events as different requests', async () => {
    const { stream, create } = await open();
    await create({ idempotency_key: 'k' });

    await expect(stream({ idempotency_key: 'k' })).rejects.toMatchObject({
      code: 'idempotency_conflict',
    });
  });

  it('ends its reader at once when the app closes, and cancels the work with a key', async () => {
    const { stream, context, provider, replay } = await open({ reply: () => {} });
    const { value } = await stream({ idempotency_key: 'k' });
    const reading = readAll(value);
    reading.catch(() => {});
    const call = await provider.call(0);
    const stopping = new BridgeError('cancelled', 'the bridge is stopping');
    context.disconnect(stopping);
    const grace = new AbortController();
    grace.abort();

    await replay.drain(grace.signal);

    await expect(reading).rejects.toBe(stopping);
    expect(call.context.signal.aborted).toBe(true);
  });
});

describe('createImageRequests, when the token of the caller is removed', () => {
  const caller = { ...unnamedCaller('anonymous'), id: 'alice', name: 'alice' };
  const failure = { code: 'cancelled', details: { reason: 'token_removed' } };

  it.each([
    ['a request', {}],
    ['a request with a key', { idempotencyKey: 'one' }],
    ['a request of an official client', { retryCount: '0' }],
  ])('cancels %s, and no work of another token', async (_what, changes) => {
    const { create, provider, removals } = await open({ reply: () => {} });
    const removed = create({}, { caller, ...changes });
    removed.catch(() => {});
    const call = await provider.call(0);
    const other = create({}, { caller: { ...caller, id: 'bob' } });
    other.catch(() => {});
    const otherCall = await provider.call(1);

    removals.remove('alice');

    await expect(removed).rejects.toMatchObject(failure);
    expect(call.context.signal.aborted).toBe(true);
    expect(otherCall.context.signal.aborted).toBe(false);
    replyWith(png)(otherCall);
    await expect(other).resolves.toMatchObject({ value: { data: [{}] } });
    expect(removals.watched()).toBe(0);
  });

  it('cancels a run whose client has disconnected', async () => {
    const { create, provider, removals, replay, newContext } = await open({
      reply: () => {},
    });
    const client = newContext();
    const first = create({}, { caller, idempotencyKey: 'one', signal: client.signal });
    const call = await provider.call(0);
    client.disconnect(disconnected);
    await expect(first).rejects.toBe(disconnected);
    expect(call.context.signal.aborted).toBe(false);

    removals.remove('alice');

    expect(call.context.signal.aborted).toBe(true);
    await replay.close();
    expect(removals.watched()).toBe(0);
  });

  it('ends a stream with the removal of its token', async () => {
    const { stream, provider, removals } = await open({ reply: () => {} });
    const { value: events } = await stream({}, { caller });
    const reading = readAll(events);
    reading.catch(() => {});
    await provider.call(0);

    removals.remove('alice');

    await expect(reading).rejects.toMatchObject(failure);
  });
});

describe('createImageRequests, log', () => {
  it('logs the start and the end of a successful request, without its content', async () => {
    const { create, lines } = await open();

    await create({ prompt: 'a secret boat', user: 'secret-user', metadata: { a: 'secret' } });

    const common = {
      level: 'INFO',
      time: expect.any(String),
      trace_id: trace.traceId,
      span_id: trace.spanId,
      request_id: 'request-1',
    };
    expect(lines()).toEqual([
      { ...common, event: 'image_operation_started' },
      { ...common, event: 'image_operation_succeeded', provider: 'scripted' },
    ]);
  });

  it('logs the code and the provider of a failure, and if it is retryable', async () => {
    const { create, lines } = await open({
      reply: (call) =>
        call.fail(
          new BridgeError('provider_authentication', 'the secret login has expired', {
            details: { path: 'secret' },
          }),
        ),
    });

    await expect(create({ prompt: 'a secret boat' })).rejects.toMatchObject({
      code: 'provider_authentication',
    });

    expect(lines().at(-1)).toMatchObject({
      event: 'image_operation_failed',
      provider: 'scripted',
      error_code: 'authentication',
      retryable: false,
    });
    expect(JSON.stringify(lines())).not.toContain('secret');
  });

  it('logs a refusal that precedes the choice of a provider', async () => {
    const { create, lines } = await open();

    await create({ routing: { provider: 'missing' } }).catch(() => {});

    expect(lines().map(({ event }) => event)).toEqual([
      'image_operation_started',
      'image_operation_failed',
    ]);
    expect(lines()[1]).toMatchObject({ error_code: 'invalid_request' });
    expect(lines()[1]).not.toHaveProperty('provider');
  });
});

/** The parts of a request context that a test may change. `signal` is the signal itself. */
type Changes = Partial<Omit<RequestContext, 'signal'>> & { readonly signal?: AbortSignal };

async function open(
  script: Partial<Script> = {},
  wrap: (generation: Pick<Generation, 'run'>) => Pick<Generation, 'run'> = (generation) =>
    generation,
  commit?: Publisher['commit'],
) {
  const rig = await openGenerationRig({ reply: (call) => replyWith(png)(call), ...script });
  rigs.push(rig);
  const { clock, artifacts } = rig;
  const stderr = createRecorder();
  const context = rig.newContext();
  const removals = createRemovals();
  const limits = { max_entries: 10, max_completed_bytes: 1_000_000, completed_ttl_secs: 60 };
  const policies = toReplayPolicies(limits);
  const store = createMemoryReplayStore({ clock, policies });
  const { ids } = artifacts;
  const replay = createReplay({ store, policies, clock, ids, secret: Buffer.alloc(32, 1) });
  const imageRequests = createImageRequests({
    runs: createImageRuns({
      generation: wrap(rig.generation),
      publisher: artifacts.publisher,
      log: createTraceLog(stderr.write),
      durations: createRecentDurations(),
    }),
    publisher: commit ? { commit } : artifacts.publisher,
    replay,
    maxInputBytes: 1_000_000,
    usage: { accountFor: () => recordAccount().account },
    replyAsync: undefined,
    tokens: { watchRemoval: removals.watch },
    clock,
    slices,
  });
  const { provider } = rig;
  const contextOf = (operationId: string, { signal = context.signal, ...changes }: Changes) =>
    requestContext({ operationId, signal: () => signal, ...changes });
  return {
    context,
    clock,
    provider,
    artifacts,
    replay,
    removals,
    newContext: rig.newContext,
    async create(sent: object = {}, changes: Changes = {}) {
      const context = contextOf('createImage', changes);
      const served = await imageRequests.serve(wireRequestOf(sent), context);
      if (served.accepted) throw new Error('the request has become a job');
      return served;
    },
    stream: (sent: object = {}, changes: Changes = {}) =>
      imageRequests.stream(wireRequestOf(sent), contextOf('streamImage', changes)),
    lines: (): Record<string, unknown>[] => stderr.lines().map((line) => JSON.parse(line)),
  };
}

/** Creates a token watch whose tokens a test removes. */
function createRemovals() {
  const watched = new Map<() => void, string>();
  return {
    watch(id: string, onRemoval: () => void): () => void {
      watched.set(onRemoval, id);
      return () => void watched.delete(onRemoval);
    },
    remove(removed: string): void {
      for (const [onRemoval, id] of watched) if (id === removed) onRemoval();
    },
    watched: () => watched.size,
  };
}

/** Sends partial images, then the complete image. */
function withPartials(count: number) {
  return (call: ScriptedCall): void => {
    call.dispatch();
    for (let partialIndex = 0; partialIndex < count; partialIndex += 1) {
      call.context.onEvent({ type: 'partial_image', index: 0, partialIndex, bytes: png });
    }
    call.succeed({ outputs: [{ bytes: png }] });
  };
}

async function readAll<T>(events: AsyncIterable<T>, read: T[] = []): Promise<T[]> {
  for await (const event of events) read.push(event);
  return read;
}

function createRecorder() {
  let text = '';
  return {
    write(line: string): void {
      text += line;
    },
    lines: () => text.split('\n').slice(0, -1),
  };
}

/** Waits in real time, because the disk and the threads do not use the clock of the test. */
async function untilSome(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise(setImmediate);
}
