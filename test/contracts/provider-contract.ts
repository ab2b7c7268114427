import * as v from 'valibot';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CapabilityDocument } from '../../lib/contract/resources/provider.ts';
import { BridgeError } from '../../lib/errors/bridge-error.ts';
import type {
  Provider,
  ProviderContext,
  ProviderEvent,
  ProviderRequest,
} from '../../lib/providers/provider-port.ts';

interface Opened {
  readonly provider: Provider;
  /** A request that succeeds, for the outputs of these indices. */
  request(indices: readonly number[]): ProviderRequest;
  /** A request that fails. */
  readonly failing: ProviderRequest;
  /** A request that does not end by itself while a test looks on. */
  readonly endless: ProviderRequest;
  /** Closes the provider and whatever stands behind it. */
  close(): Promise<void>;
}

/** What every provider promises (lib/providers/provider-port.ts). */
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

    test('a call may be tried at least once', () => {
      expect(provider.retry.attempts).toBeGreaterThanOrEqual(1);
      expect(provider.retry.backoffMs).toBeGreaterThanOrEqual(0);
    });

    test('the description is always the same and lists the default model', () => {
      const description = provider.describe();

      expect(provider.describe()).toEqual(description);
      expect(description.models).toContain(description.defaultModel);
      expect(new Set(description.models).size).toBe(description.models.length);
    });

    test('every listed model has a sound capability document of its own', () => {
      const documents = provider.describe().models.map((model) => provider.capabilities(model));

      for (const [index, model] of provider.describe().models.entries()) {
        const document = v.parse(CapabilityDocument, documents[index]);
        expect(document).toMatchObject({ provider: provider.name, model });
        expect(document.batching.native_count.max).toBeLessThanOrEqual(document.count.max);
        expect(provider.capabilities(model)).toEqual(document);
      }
    });

    test('there are sessions where a model says so, and only there', () => {
      const documents = provider.describe().models.map((model) => provider.capabilities(model));

      const isSaid = documents.some((it) => it?.persistent_sessions || it?.explicit_threads);

      expect(provider.sessions !== undefined).toBe(isSaid);
    });

    test('a model that is not listed has no capabilities', () => {
      expect(provider.capabilities('no-such-model')).toBeUndefined();
    });

    test('a call gives one output for each index and tells of those indices only', async () => {
      const indices = indicesFor(opened);
      const { context, events } = watched();

      const { outputs } = await provider.execute(opened.request(indices), context);

      expect(outputs).toHaveLength(indices.length);
      expect(outputs.every(({ bytes }) => bytes.length > 0)).toBe(true);
      const told = events.flatMap((event) => event.index ?? []);
      expect(told.filter((index) => !indices.includes(index))).toEqual([]);
    });

    test('a call says that it was dispatched before anything else', async () => {
      const { context, events } = watched();

      await provider.execute(opened.request([0]), context);

      expect(events[0]).toMatchObject({ type: 'progress', stage: 'dispatched' });
    });

    test('a call that fails rejects with a BridgeError', async () => {
      const { context } = watched();

      const ended = await failureOf(provider.execute(opened.failing, context));

      expect(ended).toBeInstanceOf(BridgeError);
    });

    test('a call ends with the reason of its signal and is silent from then on', async () => {
      const reason = new Error('given up');
      const controller = new AbortController();
      const { context, events } = watched(controller.signal);
      const ended = failureOf(provider.execute(opened.endless, context));

      controller.abort(reason);

      expect(await ended).toBe(reason);
      const told = events.length;
      await provider.execute(opened.request([0]), watched().context);
      expect(events).toHaveLength(told);
    });

    test('a call whose signal has aborted does nothing', async () => {
      const reason = new Error('given up');
      const { context, events } = watched(AbortSignal.abort(reason));

      const ended = await failureOf(provider.execute(opened.request([0]), context));

      expect(ended).toBe(reason);
      expect(events).toEqual([]);
    });

    test('a probe answers', async () => {
      const readiness = await provider.probe(new AbortController().signal);

      expect(typeof readiness.ready).toBe('boolean');
    });

    test('closing ends what runs, may be repeated, and lets nothing begin', async () => {
      const ended = failureOf(provider.execute(opened.endless, watched().context));

      await provider.close();
      await provider.close();

      expect(await ended).toBeInstanceOf(BridgeError);
      const late = await failureOf(provider.execute(opened.request([0]), watched().context));
      expect(late).toBeInstanceOf(BridgeError);
    });
  });
}

/** As many outputs as one call of the default model may have, but not the first ones: a call's indices may start anywhere. */
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
  };
  return { context, events };
}

function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
}
