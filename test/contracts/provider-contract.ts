import * as v from 'valibot';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CapabilityDocument } from '../../lib/contract/resources/provider.ts';
import { BridgeError } from '../../lib/errors/bridge-error.ts';
import { effectOf } from '../../lib/errors/call-effect.ts';
import type {
  Provider,
  ProviderContext,
  ProviderEvent,
  ProviderRequest,
} from '../../lib/providers/provider-port.ts';

interface Opened {
  readonly provider: Provider;
  /** Returns a request for the outputs of these indices that succeeds. */
  request(indices: readonly number[]): ProviderRequest;
  /** A request that fails. */
  readonly failing: ProviderRequest;
  /** A request that does not end during a test. */
  readonly endless: ProviderRequest;
  /**
   * A request that the provider rejects before sending it. Undefined if the provider accepts everything that its
   * capabilities allow.
   */
  readonly refused?: ProviderRequest;
  /** Closes the provider and its upstream. */
  close(): Promise<void>;
}

/** Tests the contract of every provider (lib/providers/provider-port.ts). */
export function describeProvider(label: string, open: () => Promise<Opened>): void {
  describe(`Provider: ${label}`, () => {
    let opened: Opened;
    let provider: Provider;

    beforeEach(async () => {
      opened = await open();
      ({ provider } = opened);
    });
    afterEach(() => opened.close());

    test('the name is made of lowercase letters, digits and hyphens', () => {
      expect(provider.name).toMatch(/^[a-z][a-z0-9-]*$/);
    });

    test('at least one attempt per call is allowed', () => {
      expect(provider.retry.attempts).toBeGreaterThanOrEqual(1);
      expect(provider.retry.backoffMs).toBeGreaterThanOrEqual(0);
    });

    test('the document of every model states how many calls the provider runs at once', () => {
      const stated = provider
        .describe()
        .models.map((model) => provider.capabilities(model)?.batching.max_parallel_outputs);

      expect(provider.maxParallelCalls).toBeGreaterThanOrEqual(1);
      expect(new Set(stated)).toEqual(new Set([provider.maxParallelCalls]));
    });

    test('the description is always the same and lists the default model', () => {
      const description = provider.describe();

      expect(provider.describe()).toEqual(description);
      expect(description.models).toContain(description.defaultModel);
      expect(new Set(description.models).size).toBe(description.models.length);
    });

    test('every listed model has a valid capability document of its own', () => {
      const documents = provider.describe().models.map((model) => provider.capabilities(model));

      for (const [index, model] of provider.describe().models.entries()) {
        const document = v.parse(CapabilityDocument, documents[index]);
        expect(document).toMatchObject({ provider: provider.name, model });
        const { count, batching } = document;
        expect(batching.native_count.max).toBeLessThanOrEqual(count.max);
        expect(batching.mode === 'fan_out').toBe(count.max > batching.native_count.max);
        expect(provider.capabilities(model)).toEqual(document);
      }
    });

    test('the provider has sessions if and only if a model supports them', () => {
      const documents = provider.describe().models.map((model) => provider.capabilities(model));

      const isSaid = documents.some((it) => it?.persistent_sessions || it?.explicit_threads);

      expect(provider.sessions !== undefined).toBe(isSaid);
    });

    test('a model that is not listed has no capabilities', () => {
      expect(provider.capabilities('no-such-model')).toBeUndefined();
    });

    test('a call returns one output for each index and reports only those indices', async () => {
      const indices = indicesFor(opened);
      const { context, events } = watched();

      const { outputs } = await provider.execute(opened.request(indices), context);

      expect(outputs).toHaveLength(indices.length);
      expect(outputs.every(({ bytes }) => bytes.length > 0)).toBe(true);
      const reported = events.flatMap((event) => event.index ?? []);
      expect(reported.filter((index) => !indices.includes(index))).toEqual([]);
    });

    test('a call reports its dispatch before anything else', async () => {
      const { context, events } = watched();

      await provider.execute(opened.request([0]), context);

      expect(events[0]).toMatchObject({ type: 'progress', stage: 'dispatched' });
    });

    test('a call that fails rejects with a BridgeError', async () => {
      const { context } = watched();

      const ended = await failureOf(provider.execute(opened.failing, context));

      expect(ended).toBeInstanceOf(BridgeError);
    });

    test('a call that the provider rejects is certainly not charged', async () => {
      const { context } = watched();

      const ended = (await failureOf(provider.execute(opened.failing, context))) as BridgeError;

      expect(['not_begun', 'nothing_made']).toContain(effectOf(ended));
      expect(ended.details['outcome']).toBeUndefined();
    });

    test('a call that refuse() rejects is never sent and rejects with the same error', async () => {
      const { refused } = opened;
      const { context, events } = watched();

      expect(() => provider.refuse?.(opened.request([0]))).not.toThrow();
      if (refused === undefined) return;
      const refusal = await failureOf(Promise.resolve().then(() => provider.refuse?.(refused)));
      const ended = await failureOf(provider.execute(refused, context));

      expect(refusal).toBeInstanceOf(BridgeError);
      expect(ended).toEqual(refusal);
      expect(ended).toMatchObject({
        code: (refusal as BridgeError).code,
        param: expect.any(String),
      });
      expect(events).toEqual([]);
    });

    test('a call rejects with the reason of its signal and reports nothing afterwards', async () => {
      const reason = new Error('aborted by the test');
      const controller = new AbortController();
      const { context, events } = watched(controller.signal);
      const ended = failureOf(provider.execute(opened.endless, context));

      controller.abort(reason);

      expect(await ended).toBe(reason);
      const reported = events.length;
      await provider.execute(opened.request([0]), watched().context);
      expect(events).toHaveLength(reported);
    });

    test('a call whose signal has aborted is not dispatched', async () => {
      const reason = new Error('aborted by the test');
      const { context, events } = watched(AbortSignal.abort(reason));

      const ended = await failureOf(provider.execute(opened.request([0]), context));

      expect(ended).toBe(reason);
      expect(events).toEqual([]);
    });

    test('a probe succeeds', async () => {
      const readiness = await provider.probe(new AbortController().signal);

      expect(typeof readiness.ready).toBe('boolean');
    });

    test('closing ends running calls, can be repeated, and rejects new calls', async () => {
      const ended = failureOf(provider.execute(opened.endless, watched().context));

      await provider.close();
      await provider.close();

      expect(await ended).toBeInstanceOf(BridgeError);
      const late = await failureOf(provider.execute(opened.request([0]), watched().context));
      expect(late).toBeInstanceOf(BridgeError);
    });
  });
}

/** Returns the indices of one call of the default model. They do not start at 0 because a call may have any indices. */
function indicesFor({ provider, request }: Opened): readonly number[] {
  const document = provider.capabilities(request([0]).model);
  const count = Math.min(document?.batching.native_count.max ?? 1, 3);
  return Array.from({ length: count }, (_, index) => 2 + index * 2);
}

function watched(signal = new AbortController().signal) {
  const events: ProviderEvent[] = [];
  const context: ProviderContext = {
    requestId: 'a-request',
    attempt: 1,
    signal,
    onEvent: (event) => {
      events.push(event);
    },
    accepted: async () => false,
    billedAs: () => {},
    remainingMs: () => 60_000,
  };
  return { context, events };
}

function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
}
