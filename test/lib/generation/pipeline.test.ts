import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import type { ErrorCode } from '../../../lib/errors/codes.ts';
import {
  createScriptedProvider,
  replyWith,
  type Script,
  type ScriptedProvider,
} from '../../support/scripted-provider.ts';
import { anything } from './capability-documents.ts';
import { type GenerationRig, openGenerationRig } from './generation-rig.ts';
import { image } from './images.ts';
import { requestOf } from './requests.ts';

const failed = (code: ErrorCode, details = {}) => new BridgeError(code, 'failed', { details });

/** The outcome of a route: an image, the refusal of its plan, or the failure of its call. */
type RouteScript = { readonly plan?: BridgeError; readonly call?: BridgeError };

let rig: GenerationRig | undefined;
let png: Buffer;

beforeAll(async () => {
  png = await image();
});
afterEach(() => rig?.close());

/** Runs a request over the routes `a`, `b` and so on. `log` contains the plans, the admissions and the calls, in order. */
async function run(
  routes: readonly RouteScript[],
  {
    policy = 'on_unavailable',
    admit = async () => {},
    signal = new AbortController().signal,
  }: { policy?: string; admit?: () => Promise<void>; signal?: AbortSignal } = {},
) {
  const log: string[] = [];
  const scripts = routes.map(({ plan, call }, index): Script => {
    const name = 'abc'.charAt(index);
    return {
      name,
      capabilities: anything,
      refuse() {
        log.push(`plan ${name}`);
        if (plan) throw plan;
      },
      async reply(scripted) {
        log.push(`call ${name}`);
        await opened.clock.advance(10);
        if (call) scripted.fail(call);
        else replyWith(png)(scripted);
      },
    };
  });
  const [first, ...others] = scripts;
  const enterOperation = async () => {
    log.push('admit');
    await admit();
    return { waitedMs: 0, release: () => log.push('release') };
  };
  const opened = await openGenerationRig(
    first,
    anything,
    { enterOperation },
    others.map((script): ScriptedProvider => createScriptedProvider(script)),
  );
  rig = opened;
  const routing = {
    fallbacks: others.map(({ name }) => ({ provider: name })),
    fallback_policy: policy,
  };
  const { result } = opened.generation.run(requestOf({ routing }), opened.newContext(), signal);
  return { log, outcome: await result.catch((thrown: BridgeError) => thrown) };
}

async function responseOf(routes: readonly RouteScript[]) {
  const { log, outcome } = await run(routes);
  if (outcome instanceof BridgeError) throw outcome;
  return { log, response: outcome.response };
}

describe('createPipeline', () => {
  it('stays on the first route that succeeds', async () => {
    const { log, response } = await responseOf([{}, {}]);

    expect(response.provider).toBe('a');
    expect(response.attempts).toEqual([
      { provider: 'a', model: 'scripted-image', outcome: 'succeeded', duration_ms: 10 },
    ]);
    expect(log).toEqual(['plan a', 'admit', 'call a', 'release']);
  });

  it('plans the request for each route, and admits the request once', async () => {
    const { log, response } = await responseOf([
      { plan: failed('unsupported_capability') },
      { call: failed('overloaded') },
      {},
    ]);

    expect(response.provider).toBe('c');
    expect(log).toEqual(['plan a', 'plan b', 'admit', 'call b', 'plan c', 'call c', 'release']);
    expect(
      response.attempts?.map(({ provider, outcome, error_code }) => [
        provider,
        outcome,
        error_code,
      ]),
    ).toEqual([
      ['a', 'failed', 'unsupported_capability'],
      ['b', 'failed', 'overloaded'],
      ['c', 'succeeded', undefined],
    ]);
  });

  it('rejects with the last failure and the list of all routes', async () => {
    const { outcome } = await run(
      [{ call: failed('upstream') }, { call: failed('safety_rejected') }],
      { policy: 'on_error' },
    );

    expect(outcome).toMatchObject({
      code: 'safety_rejected',
      details: {
        attempts: [
          { provider: 'a', outcome: 'failed', error_code: 'upstream' },
          { provider: 'b', outcome: 'failed', error_code: 'safety_rejected' },
        ],
      },
    });
  });

  it.each([
    ['a refusal', failed('safety_rejected')],
    ['an unknown outcome', failed('upstream', { outcome: 'unknown' })],
    ['a failure that the policy does not name', failed('upstream')],
  ])('does not fall back after %s', async (_name, call) => {
    const { log, outcome } = await run([{ call }, {}]);

    expect(outcome).toMatchObject({
      code: call.code,
      details: { attempts: [{ provider: 'a' }] },
    });
    expect(log).not.toContain('plan b');
  });

  it('does not fall back once the operation is over', async () => {
    const signal = AbortSignal.abort(new BridgeError('cancelled', 'the client has disconnected'));

    const { log, outcome } = await run([{ plan: failed('overloaded') }, {}], { signal });

    expect(outcome).toMatchObject({ code: 'overloaded' });
    expect(log).toEqual(['plan a']);
  });

  it('does not fall back if the request is not admitted, whatever the code of the failure', async () => {
    const admit = () => Promise.reject(failed('overloaded'));

    const { log, outcome } = await run([{}, {}], { admit });

    expect(outcome).toMatchObject({ code: 'overloaded', details: {} });
    expect(log).toEqual(['plan a', 'admit']);
  });

  it('releases the permit when every route has failed', async () => {
    const { log } = await run([{ call: failed('overloaded') }, { call: failed('overloaded') }]);

    expect(log.at(-1)).toBe('release');
  });

  it('lists no attempts of a request without fallbacks', async () => {
    const { outcome } = await run([{ call: failed('upstream') }], { policy: 'on_error' });

    expect(outcome).not.toHaveProperty('details.attempts');
  });
});
