import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import { recordCharge } from '../../support/charges.ts';
import { replyWith, type ScriptedCall } from '../../support/scripted-provider.ts';
import { anything } from './capability-documents.ts';
import { type GenerationRig, openGenerationRig } from './generation-rig.ts';
import { image } from './images.ts';
import { requestOf } from './requests.ts';

const ONE_A_CALL = {
  ...anything,
  batching: { ...anything.batching, native_count: { min: 1, max: 1 } },
};

const rigs: GenerationRig[] = [];
let png = Buffer.alloc(0);

beforeAll(async () => {
  png = await image();
});
afterEach(async () => {
  await Promise.all(rigs.splice(0).map((rig) => rig.close()));
});

/** What one request was charged, with a provider that replies like this. */
async function charged(sent: object, reply: (call: ScriptedCall) => void | Promise<void>) {
  const rig = await openGenerationRig({ reply }, ONE_A_CALL);
  rigs.push(rig);
  const { charge, reserved, settled } = recordCharge();
  const ended = await rig
    .run(requestOf(sent), { ...rig.newContext(), charge })
    .result.catch((error: unknown) => error);
  return { reserved, settled, ended };
}

const failure = (details = {}) => new BridgeError('upstream', 'the provider failed', { details });
const ok = (call: ScriptedCall) => replyWith(png)(call);

describe('createBill', () => {
  it('reserves every output before the provider is called, and counts what was made', async () => {
    const { reserved, settled } = await charged({ parameters: { n: 3 } }, (call) => {
      expect(call.request.parameters.n).toBeGreaterThan(0);
      return replyWith(png, {})(call);
    });

    expect(reserved).toEqual([3]);
    expect(settled).toEqual([
      { provider: 'scripted', images: 3, failed: 0, perhapsMade: 3, tokens: undefined },
    ]);
  });

  it('calls no provider when nothing can be reserved', async () => {
    const rig = await openGenerationRig({ reply: ok });
    rigs.push(rig);
    const refusal = new BridgeError('rate_limited', 'no more images today');
    const { charge } = recordCharge();
    const refusing = { ...charge, reserve: () => Promise.reject(refusal) };

    const { result } = rig.run(requestOf(), { ...rig.newContext(), charge: refusing });

    await expect(result).rejects.toMatchObject({ code: 'rate_limited' });
    expect(rig.provider.calls).toEqual([]);
  });

  it('reserves nothing for a request that cannot work', async () => {
    const { reserved } = await charged({ parameters: { size: '9x9' } }, ok);

    expect(reserved).toEqual([]);
  });

  it.each([
    ['a known failure', failure(), 0],
    ['a failure of unknown outcome', failure({ outcome: 'unknown' }), 1],
    ['a refusal for safety', new BridgeError('safety_rejected', 'refused'), 0],
    ['a malformed reply', new BridgeError('protocol', 'malformed'), 1],
  ])('after %s charges what may have been made', async (_what, error, perhapsMade) => {
    const { settled } = await charged({}, (call) => call.fail(error));

    expect(settled).toMatchObject([{ provider: 'scripted', images: 0, failed: 1, perhapsMade }]);
  });

  it('charges an image that does not verify: the provider has made it', async () => {
    const { settled } = await charged({}, (call) => replyWith(Buffer.from('no image'))(call));

    expect(settled).toMatchObject([{ images: 0, failed: 1, perhapsMade: 1 }]);
  });

  it('gives back only those outputs of a best effort that failed with a known outcome', async () => {
    const parameters = { n: 4, failure_policy: 'best_effort' };
    const { settled } = await charged({ parameters }, (call) => {
      const [index] = call.request.indices;
      if (index === 0) return call.fail(failure());
      if (index === 1) return call.fail(failure({ outcome: 'unknown' }));
      return ok(call);
    });

    expect(settled).toMatchObject([{ images: 2, failed: 2, perhapsMade: 3 }]);
  });

  it('charges what had been made before the failure of a sibling', async () => {
    const parameters = { n: 3 };
    const policies = { batch_execution: 'sequential' };
    const { settled } = await charged({ parameters, policies }, (call) => {
      const [index] = call.request.indices;
      return index === 2 ? call.fail(failure()) : ok(call);
    });

    expect(settled).toMatchObject([{ images: 0, failed: 3, perhapsMade: 2 }]);
  });

  it('charges images that were made and could not be delivered', async () => {
    const output = { response_format: 'artifact', filename: 'a' };
    const rig = await openGenerationRig({ reply: ok });
    rigs.push(rig);
    const first = await rig.run(requestOf({ output })).result;
    await rig.artifacts.publisher.commit(first.publications);
    const { charge, settled } = recordCharge();

    const { result } = rig.run(requestOf({ output }), { ...rig.newContext(), charge });

    await expect(result).rejects.toMatchObject({ code: 'artifact_exists' });
    expect(settled).toMatchObject([{ images: 0, failed: 1, perhapsMade: 1 }]);
  });

  it('counts the tokens that the provider reports', async () => {
    const { settled } = await charged({}, (call) =>
      call.succeed({
        outputs: [{ bytes: png }],
        usage: { input_tokens: 7, output_tokens: 5 },
      }),
    );

    expect(settled).toMatchObject([{ tokens: 12 }]);
  });
});
