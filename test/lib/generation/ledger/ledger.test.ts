import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { NO_COST, UNKNOWN_COST } from '../../../../lib/contract/reply/cost.ts';
import { BridgeError } from '../../../../lib/errors/bridge-error.ts';
import { createLedger } from '../../../../lib/generation/ledger/ledger.ts';
import type { ProviderCounts } from '../../../../lib/generation/ledger/ledger-store-port.ts';
import { recordAccount } from '../../../support/ledgers.ts';
import { replyWith, type ScriptedCall } from '../../../support/scripted-provider.ts';
import { anything } from '../capability-documents.ts';
import { type GenerationRig, openGenerationRig } from '../generation-rig.ts';
import { image } from '../images.ts';
import { requestOf } from '../requests.ts';

const ONE_A_CALL = {
  ...anything,
  batching: { ...anything.batching, native_count: { min: 1, max: 1 } },
};
const [FIRST, SECOND] = ['first-model', 'second-model'];
const ROUTING = { model: FIRST, fallbacks: [{ provider: 'scripted', model: SECOND }] };
const ON_ERROR = { ...ROUTING, fallback_policy: 'on_error' };
const BEST_EFFORT = { failure_policy: 'best_effort' };
const RETRYABLE = { retryable: true } as const;

const rigs: GenerationRig[] = [];
let png = Buffer.alloc(0);

beforeAll(async () => {
  png = await image();
});
afterEach(async () => {
  await Promise.all(rigs.splice(0).map((rig) => rig.close()));
});

type Reply = (call: ScriptedCall) => void | Promise<void>;

interface Setting {
  readonly capabilities?: typeof anything;
  readonly retry?: { readonly attempts: number; readonly backoffMs: number };
  readonly refusesRenewal?: boolean;
  /** False for a provider that does not notice when its signal aborts. */
  readonly obeys?: boolean;
}

/** Runs one request with a scripted provider. Returns its end and its account. */
async function ended(sent: { parameters?: { n?: number } }, reply: Reply, setting: Setting = {}) {
  const { capabilities = ONE_A_CALL, retry, refusesRenewal = false, obeys = true } = setting;
  const models = [FIRST, SECOND] as string[];
  const rig = await openGenerationRig(
    { reply, models, obeys, ...(retry ? { retry } : {}) },
    capabilities,
  );
  rigs.push(rig);
  const recorded = recordAccount();
  const account = refusesRenewal
    ? { ...recorded.account, renew: () => Promise.reject(new BridgeError('rate_limited', 'no')) }
    : recorded.account;
  const ledger = createLedger(account, sent.parameters?.n ?? 1);
  const running = rig.run(requestOf(sent), { ...rig.newContext(), ledger });
  const end = await running.result.then(
    ({ response }) => ({ response, error: undefined }),
    (error: BridgeError) => ({ response: undefined, error }),
  );
  ledger.close();
  return {
    ...end,
    ...recorded,
    counts: recorded.closed[0]?.counts ?? [],
    calls: rig.provider.calls,
  };
}

const failure = (code: 'upstream' | 'rate_limited' | 'protocol' | 'overloaded', options = {}) =>
  new BridgeError(code, 'the provider failed', options);
const fail = (call: ScriptedCall, error: Error) => {
  call.dispatch();
  call.fail(error);
};
const ok: Reply = (call) => replyWith(png)(call);
const broken: Reply = (call) => replyWith(Buffer.from('no image'))(call);
const nthOf = ({ request }: ScriptedCall): number => request.indices[0] ?? 0;

/** The counts of a provider without prices: the cost of each image is unknown. */
const counts = (more: Partial<ProviderCounts>): ProviderCounts => {
  const unpriced = (more.images ?? 0) + (more.unknown ?? 0);
  const cost = unpriced > 0 ? UNKNOWN_COST : NO_COST;
  const nothing = { images: 0, lost: 0, unknown: 0, failed: 0, tokens: undefined };
  return { provider: 'scripted', model: FIRST, ...nothing, cost, unpriced, ...more };
};

describe('the ledger of a generation', () => {
  it('reserves every output before the provider is called, and opens each call before it is sent', async () => {
    const { reserved, opened } = await ended({ parameters: { n: 3 } }, ok);

    expect(reserved).toEqual([3]);
    expect(opened.map(({ indices }) => indices)).toEqual([[0], [1], [2]]);
  });

  it('does not send a call that cannot be opened, and counts it as failed but not against the provider', async () => {
    const rig = await openGenerationRig({ reply: ok });
    rigs.push(rig);
    const { account, closed } = recordAccount();
    const refusal = new BridgeError('overloaded', 'the state database is full');
    const refusing = { ...account, open: () => Promise.reject(refusal) };
    const ledger = createLedger(refusing, 1);

    const { result } = rig.run(requestOf(), { ...rig.newContext(), ledger });

    const error = await result.catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'overloaded', retryable: true, provider: undefined });
    expect(rig.provider.calls).toEqual([]);
    ledger.close();
    const model = 'scripted-image';
    expect(closed).toMatchObject([{ counts: [counts({ model, failed: 1 })] }]);
  });

  it('calls no provider and counts nothing if the reservation fails', async () => {
    const rig = await openGenerationRig({ reply: ok });
    rigs.push(rig);
    const { account, closed } = recordAccount();
    const refusal = new BridgeError('rate_limited', 'no more images today');
    const ledger = createLedger({ ...account, reserve: () => Promise.reject(refusal) }, 1);

    const { result } = rig.run(requestOf(), { ...rig.newContext(), ledger });

    await expect(result).rejects.toMatchObject({ code: 'rate_limited', retryable: true });
    expect(rig.provider.calls).toEqual([]);
    ledger.close();
    expect(closed).toEqual([]);
  });

  it('reserves nothing for a request that cannot work', async () => {
    const { reserved } = await ended({ parameters: { size: '9x9' } } as object, ok);

    expect(reserved).toEqual([]);
  });

  it('counts the delivered images, and the tokens of the calls', async () => {
    const { counts: counted } = await ended({ parameters: { n: 2 } }, (call) => {
      call.dispatch();
      call.succeed({ outputs: [{ bytes: png }], usage: { input_tokens: 7, output_tokens: 5 } });
    });

    expect(counted).toEqual([counts({ images: 2, tokens: 24 })]);
  });

  it.each<[string, BridgeError, Partial<ProviderCounts>]>([
    ['a refusal', failure('rate_limited'), { failed: 1 }],
    ['a known failure', failure('upstream'), { failed: 1 }],
    ['an unknown outcome', failure('upstream', { effect: 'unknown' }), { unknown: 1 }],
    ['images that cannot be used', failure('protocol', { effect: 'made' }), { images: 1, lost: 1 }],
  ])('counts a call that ends with %s', async (_what, error, expected) => {
    const { counts: counted } = await ended({}, (call) => fail(call, error));

    expect(counted).toEqual([counts(expected)]);
  });

  it('counts a failure before the call was sent as certain, whatever its code', async () => {
    const { counts: counted, error } = await ended({}, (call) => call.fail(new Error('a bug')));

    expect(counted).toEqual([counts({ failed: 1 })]);
    expect(error?.details).not.toHaveProperty('outcome');
  });

  it('counts a failure after output has begun as unknown, and does not retry the call', async () => {
    const {
      counts: counted,
      error,
      calls,
    } = await ended(
      { parameters: { partial_images: 1 } } as object,
      (call) => {
        call.dispatch();
        const [index = 0] = call.request.indices;
        call.context.onEvent({ type: 'partial_image', index, partialIndex: 0, bytes: png });
        call.fail(failure('upstream', { transient: true, ...RETRYABLE }));
      },
      { retry: { attempts: 2, backoffMs: 0 } },
    );

    expect(counted).toEqual([counts({ unknown: 1 })]);
    expect(error).toMatchObject({ retryable: false, details: { outcome: 'unknown' } });
    expect(calls).toHaveLength(1);
  });

  it.each([
    [3, { images: 3, lost: 3, unknown: 1 }],
    [5, { images: 5, lost: 5 }],
  ])('counts the %i images of a reply to a call for four images', async (given, expected) => {
    const outputs = Array.from({ length: given }, () => ({ bytes: png }));
    const details = { reason: 'wrong_count', returned_images: given };
    const sent = { parameters: { n: 4 } };
    const setting = { capabilities: anything };

    const returned = await ended(
      sent,
      (call) => {
        call.dispatch();
        call.succeed({ outputs });
      },
      setting,
    );
    const thrown = await ended(
      sent,
      (call) => fail(call, failure('protocol', { effect: 'made', details })),
      setting,
    );

    for (const { counts: counted, error } of [returned, thrown]) {
      expect(counted).toEqual([counts(expected)]);
      expect(error).toMatchObject({ code: 'protocol', retryable: false, details });
    }
  });

  it('counts each output of a best_effort request by its own outcome', async () => {
    const { counts: counted, response } = await ended(
      { parameters: { n: 4, ...BEST_EFFORT } },
      (call) => {
        if (nthOf(call) === 0) return fail(call, failure('upstream'));
        if (nthOf(call) === 1) return fail(call, failure('upstream', { effect: 'unknown' }));
        return nthOf(call) === 2 ? broken(call) : ok(call);
      },
    );

    expect(response?.data).toHaveLength(1);
    expect(counted).toEqual([counts({ images: 2, lost: 1, unknown: 1, failed: 1 })]);
  });

  it('counts images as lost if they were not delivered because another output failed', async () => {
    const { counts: counted, error } = await ended(
      { parameters: { n: 3 }, policies: { batch_execution: 'sequential' } } as object,
      (call) => (nthOf(call) === 2 ? fail(call, failure('rate_limited')) : ok(call)),
    );

    expect(counted).toEqual([counts({ images: 2, lost: 2, failed: 1 })]);
    expect(error).toMatchObject({ retryable: false, details: { succeeded_outputs: 2 } });
  });

  it('charges only calls that were sent', async () => {
    const { counts: counted } = await ended(
      { parameters: { n: 8 }, policies: { batch_execution: 'sequential' } } as object,
      (call) => fail(call, failure('upstream', { effect: 'unknown' })),
      {
        capabilities: {
          ...anything,
          batching: { ...anything.batching, native_count: { min: 1, max: 4 } },
        },
      },
    );

    expect(counted).toEqual([counts({ unknown: 4, failed: 4 })]);
  });

  it('marks the error of a best_effort request as not retryable because of any failure, not only the first', async () => {
    const { error, counts: counted } = await ended(
      {
        parameters: { n: 2, ...BEST_EFFORT },
        policies: { batch_execution: 'sequential' },
      } as object,
      (call) => (nthOf(call) === 0 ? fail(call, failure('rate_limited')) : broken(call)),
    );

    expect(error).toMatchObject({ code: 'rate_limited', retryable: false });
    expect(counted).toEqual([counts({ images: 1, lost: 1, failed: 1 })]);
  });

  it.each([
    [true, []],
    [false, [counts({ images: 1, unpriced: 1 })]],
  ])(
    'records and counts the calls of an account only if the account is not free (free: %s)',
    async (isFree, counted) => {
      const { account, opened } = recordAccount();
      const ledger = createLedger({ ...account, isFree }, 1);
      ledger.beginRoute('scripted', FIRST);
      const call = ledger.beginCall('scripted', [0]);

      await call.open();
      call.beginTry();
      call.sent();
      call.replied(1);
      call.verified(0);
      call.published(0);

      expect(opened).toHaveLength(counted.length);
      expect(ledger.settlement().counts).toMatchObject(counted);
    },
  );

  it('reports an image that was made but could not be delivered', async () => {
    const output = { response_format: 'artifact', filename: 'a' };
    const rig = await openGenerationRig({
      reply: async (call) => {
        // The name is taken while the image is made.
        await mkdir(rig.artifacts.root, { recursive: true });
        await writeFile(join(rig.artifacts.root, 'a.png'), 'foreign');
        return ok(call);
      },
    });
    rigs.push(rig);
    const { account, closed } = recordAccount();
    const ledger = createLedger(account, 1);

    const { result } = rig.run(requestOf({ output }), { ...rig.newContext(), ledger });

    await expect(result).rejects.toMatchObject({
      code: 'artifact_exists',
      retryable: false,
      details: { succeeded_outputs: 1 },
    });
    ledger.close();
    const model = 'scripted-image';
    expect(closed).toMatchObject([{ counts: [counts({ model, images: 1, lost: 1 })] }]);
  });
});

describe('the ledger of a generation, delivery', () => {
  /** A request for three artifacts, some of which cannot be written. */
  async function refusing(refused: readonly number[], parameters: object) {
    const rig = await openGenerationRig({ reply: ok }, ONE_A_CALL);
    rigs.push(rig);
    rig.artifacts.refuseStaged(refused);
    const { account, closed } = recordAccount();
    const ledger = createLedger(account, 3);
    const output = { response_format: 'artifact' };
    const request = requestOf({ parameters: { n: 3, ...parameters }, output });
    const { result } = rig.run(request, { ...rig.newContext(), ledger });
    const ended = await result.catch((error: BridgeError) => error);
    ledger.close();
    return { rig, ended, counts: closed[0]?.counts ?? [] };
  }

  it('loses only the image that cannot be published, under best_effort', async () => {
    const { rig, ended: end, counts: counted } = await refusing([2], BEST_EFFORT);

    if (end instanceof BridgeError) throw end;
    const { response, publications } = end;
    const kept = response.data.map(({ index }) => index);
    const failures = response.failures ?? [];
    expect([...kept, ...failures.map(({ index }) => index)].sort()).toEqual([0, 1, 2]);
    expect(failures).toMatchObject([{ error: { code: 'artifact', retryable: false } }]);
    expect(response.delivered.map(({ index }) => index)).toEqual(kept);
    expect(response.warnings).toContain('partial_output_failure');
    expect(publications).toHaveLength(2);
    expect(await rig.artifacts.names()).toHaveLength(2);
    expect(counted).toEqual([counts({ model: 'scripted-image', images: 3, lost: 1 })]);
  });

  it.each([
    ['fail_fast', {}, [2]],
    ['best_effort, none can be published', BEST_EFFORT, [1, 2, 3]],
  ])(
    'leaves no file of a failed request, and reports the images that were made: %s',
    async (_what, parameters, refused) => {
      const { rig, ended: end, counts: counted } = await refusing(refused, parameters);

      expect(end).toMatchObject({
        code: 'artifact',
        retryable: false,
        details: { succeeded_outputs: 3 },
      });
      expect(await rig.artifacts.names()).toEqual([]);
      expect(counted).toEqual([counts({ model: 'scripted-image', images: 3, lost: 3 })]);
    },
  );
});

describe('the ledger of a generation with fallbacks', () => {
  const byModel =
    (first: Reply, second: Reply): Reply =>
    (call) =>
      call.request.model === FIRST ? first(call) : second(call);

  it('keeps the cost of a first route whose images are unusable', async () => {
    const {
      response,
      renewed,
      counts: counted,
    } = await ended({ parameters: { n: 2 }, routing: ON_ERROR } as object, byModel(broken, ok));

    expect(response?.data).toHaveLength(2);
    expect(renewed).toMatchObject([{ renewals: 0, counts: [{ images: 2, lost: 2, failed: 0 }] }]);
    expect(counted).toEqual([counts({ model: SECOND, images: 2 })]);
  });

  it('never reports a failure after a paid route as retryable', async () => {
    const {
      error,
      renewed,
      counts: counted,
    } = await ended(
      { parameters: { n: 1 }, routing: ON_ERROR } as object,
      byModel(broken, (call) => fail(call, failure('overloaded'))),
    );

    expect(error).toMatchObject({ code: 'overloaded', retryable: false });
    expect(renewed).toMatchObject([{ counts: [{ images: 1, lost: 1 }] }]);
    expect(counted).toEqual([counts({ model: SECOND, failed: 1 })]);
  });

  it('ends with the first failure if the allowance is too small for another route', async () => {
    const {
      error,
      calls,
      counts: counted,
    } = await ended({ parameters: { n: 1 }, routing: ON_ERROR } as object, byModel(broken, ok), {
      refusesRenewal: true,
    });

    expect(error).toMatchObject({ code: 'protocol', details: { attempts: [{ model: FIRST }] } });
    expect(calls).toHaveLength(1);
    expect(counted).toEqual([counts({ images: 1, lost: 1 })]);
  });

  it('does not count an output as failed if the second route has made it', async () => {
    const { counts: counted, renewed } = await ended(
      { parameters: { n: 1 }, routing: ROUTING } as object,
      byModel((call) => fail(call, failure('rate_limited')), ok),
    );

    expect(counted).toEqual([counts({ model: SECOND, images: 1 })]);
    expect(renewed).toMatchObject([{ counts: [counts({})] }]);
  });

  it('does not fall back after a refusal when another output has an unknown outcome', async () => {
    const { error, calls } = await ended(
      {
        parameters: { n: 2, ...BEST_EFFORT },
        routing: ON_ERROR,
        policies: { batch_execution: 'sequential' },
      } as object,
      (call) =>
        fail(
          call,
          failure(
            nthOf(call) === 0 ? 'rate_limited' : 'upstream',
            nthOf(call) === 0 ? {} : { effect: 'unknown' },
          ),
        ),
    );

    expect(error).toMatchObject({ code: 'rate_limited', details: { outcome: 'unknown' } });
    expect(calls).toHaveLength(2);
  });

  it('does not fall back after an image that could have been delivered', async () => {
    const { error, calls } = await ended(
      {
        parameters: { n: 2 },
        routing: ON_ERROR,
        policies: { batch_execution: 'sequential' },
      } as object,
      (call) => (nthOf(call) === 1 ? fail(call, failure('rate_limited')) : ok(call)),
    );

    expect(error).toMatchObject({ code: 'rate_limited', details: { succeeded_outputs: 1 } });
    expect(calls).toHaveLength(2);
  });

  it('does not fall back after an image that arrived after its call was stopped', async () => {
    const late: Reply = (call) => {
      call.dispatch();
      call.context.signal.addEventListener('abort', () =>
        call.succeed({ outputs: [{ bytes: png }] }),
      );
    };
    const {
      error,
      calls,
      counts: counted,
    } = await ended(
      { parameters: { n: 2 }, routing: ON_ERROR } as object,
      (call) => (nthOf(call) === 0 ? late(call) : fail(call, failure('upstream'))),
      { obeys: false },
    );

    expect(error).toMatchObject({ code: 'upstream', details: { succeeded_outputs: 1 } });
    expect(calls).toHaveLength(2);
    expect(counted).toEqual([counts({ images: 1, lost: 1, failed: 1 })]);
  });
});
