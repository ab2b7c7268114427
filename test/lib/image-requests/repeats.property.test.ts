import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ImageResponseWithBytes } from '../../../lib/contract/reply/image-response.ts';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import type { Generation } from '../../../lib/generation/generation.ts';
import type { GenerationResult } from '../../../lib/generation/pipeline.ts';
import { createImageRequests } from '../../../lib/image-requests/image-requests.ts';
import { createTraceLog } from '../../../lib/log/trace-log.ts';
import { createIds } from '../../../lib/platform/ids.ts';
import { createReplay } from '../../../lib/replay/replay.ts';
import { toReplayPolicies } from '../../../lib/replay/replay-policies.ts';
import { createImageRuns, createRecentDurations } from '../../../lib/runs/image-run.ts';
import { createMemoryReplayStore } from '../../../lib/storage/memory/replay-store.ts';
import { NO_TOKENS } from '../../../lib/tokens/token.ts';
import { recordAccount } from '../../support/ledgers.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { requestContext } from '../../support/request-context.ts';
import { slices } from '../../support/slices.ts';
import { wireRequestOf } from '../generation/requests.ts';

type Ending = 'succeeded' | 'known_failure' | 'charged_failure' | 'unknown_outcome';
type Publication = GenerationResult['publications'][number];

interface Made {
  readonly id: string;
  readonly keyed: string | undefined;
  readonly signal: AbortSignal;
  ending: Ending | 'cancelled' | undefined;
  end(ending: Ending): void;
}

interface Client {
  readonly controller: AbortController;
  readonly replies: unknown[];
  readonly onReplied: ((isComplete: boolean) => void)[];
}

const arrival = fc.record({
  kind: fc.constant('arrive' as const),
  scope: fc.constantFrom('one', 'two'),
  prompt: fc.constantFrom('a boat', 'a lake'),
  key: fc.constantFrom(undefined, undefined, 'k', 'l'),
  retryCount: fc.constantFrom(undefined, '0', '1'),
  isStream: fc.boolean(),
});
const step = fc.oneof(
  { weight: 4, arbitrary: arrival },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('disconnect' as const), nth: fc.nat(20) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('end' as const),
      nth: fc.nat(20),
      ending: fc.constantFrom<Ending>(
        'succeeded',
        'known_failure',
        'charged_failure',
        'unknown_outcome',
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(12_000) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

describe('createImageRequests, any schedule', () => {
  it('calls the provider once for a key, replies to each client once and keeps nothing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const world = open();

        for (const one of steps) await world.take(one);
        await world.finishAll();

        for (const ended of world.paidByKey().values()) expect(ended).toBeLessThanOrEqual(1);
        for (const { controller, replies } of world.clients) {
          expect(replies).toHaveLength(1);
          const isCancelled = replies[0] instanceof BridgeError && replies[0].code === 'cancelled';
          expect(isCancelled).toBe(controller.signal.aborted && isCancelled);
        }
        expect(world.left()).toEqual({ running: 0, timers: 0, publications: [], twice: [] });
      }),
      { numRuns: 150 },
    );
  });
});

function open() {
  const clock = createManualClock();
  const limits = { max_entries: 100, max_completed_bytes: 1e6, completed_ttl_secs: 1e6 };
  const policies = toReplayPolicies(limits);
  const store = createMemoryReplayStore({ clock, policies });
  const ids = createIds(clock.nowMs);
  const replay = createReplay({ store, policies, clock, ids, secret: Buffer.alloc(32, 1) });
  const made: Made[] = [];
  const clients: Client[] = [];
  const pending = new Set<string>();
  const twice: string[] = [];
  const settle = async (publications: readonly Publication[]) => {
    for (const { record } of publications) if (!pending.delete(record.id)) twice.push(record.id);
  };
  const imageRequests = createImageRequests({
    runs: createImageRuns({
      generation: toGeneration(made, pending),
      publisher: { discard: settle },
      log: createTraceLog(() => {}),
      durations: createRecentDurations(),
    }),
    publisher: { commit: settle },
    replay,
    usage: { accountFor: () => recordAccount().account },
    clock,
    slices,
    maxInputBytes: 1000,
    replyAsync: undefined,
    tokens: NO_TOKENS,
  });

  async function arrive(arrived: Extract<Step, { kind: 'arrive' }>) {
    const { scope, prompt, key, retryCount, isStream } = arrived;
    const client: Client = { controller: new AbortController(), replies: [], onReplied: [] };
    clients.push(client);
    const note = (reply: unknown) => {
      client.replies.push(reply);
    };
    const { signal } = client.controller;
    const context = requestContext({
      operationId: isStream ? 'streamImage' : 'createImage',
      scope,
      retryCount,
      requestId: `${key === undefined ? 'free' : `${scope} ${key} ${prompt} ${isStream}`}`,
      signal: () => signal,
      onReplied: (listener) => client.onReplied.push(listener),
    });
    const sent = wireRequestOf({ prompt, idempotency_key: key ?? null });
    const reply = isStream
      ? imageRequests.stream(sent, context).then(({ value }) => readAll(value))
      : imageRequests.serve(sent, context);
    const replied = () => {
      for (const listener of client.onReplied) listener(!signal.aborted);
    };
    reply.then(note, note).then(replied);
  }

  return {
    clients,
    async take(one: Step): Promise<void> {
      if (one.kind === 'arrive') await arrive(one);
      if (one.kind === 'disconnect') {
        clients[one.nth]?.controller.abort(
          new BridgeError('cancelled', 'the client has disconnected'),
        );
      }
      if (one.kind === 'end') made[one.nth]?.end(one.ending);
      await clock.advance(one.kind === 'wait' ? one.ms : 0);
    },
    async finishAll(): Promise<void> {
      for (const one of made) one.end('succeeded');
      await clock.advance(20_000);
      const grace = new AbortController();
      await replay.drain(grace.signal);
    },
    /** The number of generations that may have succeeded, by key and request. */
    paidByKey(): Map<string, number> {
      const counts = new Map<string, number>();
      for (const { keyed, ending } of made) {
        if (keyed === undefined || ending === 'known_failure') continue;
        counts.set(keyed, (counts.get(keyed) ?? 0) + 1);
      }
      return counts;
    },
    left: () => ({
      running: store.size().running,
      // Each outcome that is kept under a key has a timer.
      timers: clock.waiting - store.size().entries,
      publications: [...pending],
      twice,
    }),
  };
}

/** Creates a generation that a test ends, and that ends at once when it is cancelled. */
function toGeneration(made: Made[], pending: Set<string>): Pick<Generation, 'run'> {
  return {
    run(_request, { requestId }, signal) {
      const id = `generation-${made.length}`;
      const keyed = requestId === 'free' ? undefined : requestId;
      const result = new Promise<GenerationResult>((resolve, reject) => {
        const one: Made = {
          id,
          keyed,
          signal,
          ending: undefined,
          end(ending) {
            if (one.ending !== undefined) return;
            one.ending = ending;
            if (ending === 'succeeded') {
              pending.add(id);
              resolve(resultOf(id));
            } else reject(failureOf(ending));
          },
        };
        made.push(one);
        signal.addEventListener('abort', () => {
          one.ending ??= 'cancelled';
          reject(signal.reason);
        });
      });
      result.catch(() => {});
      return {
        started: Promise.resolve(),
        events: noEvents(),
        result,
        ignoreEvents: () => {},
      };
    },
  };
}

async function* noEvents() {}

/** Reads a stream to its end. Rejects if the stream does. */
async function readAll(events: AsyncIterable<{ readonly type: string }>): Promise<string[]> {
  const types: string[] = [];
  for await (const { type } of events) types.push(type);
  return types;
}

// The tests read only the ids of a response or a record.
function resultOf(id: string): GenerationResult {
  return {
    response: { id, provider: 'p', timings: { total_ms: 1 } } as ImageResponseWithBytes,
    publications: [{ record: { id } } as Publication],
    remainingMs: () => 60_000,
  };
}

function failureOf(ending: Ending): BridgeError {
  return new BridgeError('upstream', 'no', {
    ...(ending === 'charged_failure' ? { effect: 'made' } : {}),
    ...(ending === 'unknown_outcome' ? { effect: 'unknown' } : {}),
  });
}
