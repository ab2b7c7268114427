import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createImage } from '../../support/create-image.ts';
import {
  createResponsesUpstream,
  type ResponsesUpstream,
} from '../../support/responses-upstream/responses-upstream.ts';
import type { Step } from '../../support/responses-upstream/script.ts';
import {
  cleanUp,
  freshFolder,
  type StartedBridge,
  startBridge,
} from '../../support/start-bridge.ts';

let upstream: ResponsesUpstream;
let bridge: StartedBridge;
let callsBefore = 0;

beforeAll(async () => {
  const home = await freshFolder();
  upstream = await createResponsesUpstream();
  await upstream.writeLogin(home);
  bridge = await startBridge({
    command: 'serve',
    set: [
      'providers.sandbox.enabled=true',
      `providers.agent_responses.endpoint=${upstream.url}`,
      `providers.agent_responses.token_endpoint=${upstream.tokenUrl}`,
      `providers.agent_responses.home=${home}`,
      'providers.agent_responses.transient_backoff_ms=1',
      'runtime.circuit_breaker.enabled=false',
    ],
  });
});
beforeEach(() => {
  callsBefore = upstream.calls.length;
});
afterAll(async () => {
  await cleanUp();
  await upstream.close();
});

const callsSince = () => upstream.calls.length - callsBefore;

/** A request for a small image that is tried at the emulator first. The sandbox generates it if the request falls back. */
function create(policy: 'on_unavailable' | 'on_error', timeoutMs?: number) {
  return createImage(bridge, {
    prompt: 'a fox',
    output: { response_format: 'metadata' },
    routing: {
      provider: 'agent-responses',
      fallbacks: [{ provider: 'sandbox' }],
      fallback_policy: policy,
    },
    ...(timeoutMs === undefined ? {} : { timeout_ms: timeoutMs }),
  });
}

/** The handling of a failing backend: the number of its calls, and the conditions to fall back to the sandbox. */
interface Row {
  readonly step: Step;
  readonly calls: number;
  readonly code: string;
  readonly onUnavailable: boolean;
  readonly onError: boolean;
}

const known = (step: Step, code: string, calls: number): Row => ({
  step,
  code,
  calls,
  onUnavailable: false,
  onError: true,
});
const unavailable = (step: Step, code: string, calls: number): Row => ({
  step,
  code,
  calls,
  onUnavailable: true,
  onError: true,
});
const final = (step: Step, code: string): Row => ({
  step,
  code,
  calls: 1,
  onUnavailable: false,
  onError: false,
});

const ROWS: readonly Row[] = [
  known('status=404', 'upstream', 1),
  known('status=500', 'upstream', 2),
  known('failed=server_error', 'upstream', 2),
  known('error=overloaded', 'upstream', 2),
  known('no-image', 'upstream', 2),
  known('failed-call', 'upstream', 2),
  known('two-images=different', 'protocol', 1),
  known('image=gif', 'protocol', 1),
  known('base64=words', 'protocol', 1),
  unavailable('status=429', 'rate_limited', 2),
  unavailable('failed=usage_limit_reached', 'rate_limited', 1),
  unavailable('failed=unsupported_value', 'unsupported_capability', 1),
  unavailable('failed=authentication_error', 'authentication', 1),
  final('status=403', 'permission_denied'),
  final('status=400,moderation_blocked', 'safety_rejected'),
  final('refusal', 'safety_rejected'),
  final('incomplete=content_filter', 'safety_rejected'),
  final('truncated=generating', 'protocol'),
  final('cut=line', 'protocol'),
  final('reset=before-headers', 'protocol'),
  final('garbage=json', 'protocol'),
  final('html=200', 'protocol'),
];

describe('fallback routing', () => {
  it.each(ROWS)(
    'handles $step according to the policy',
    async ({ step, calls, code, ...fallsBack }) => {
      for (const policy of ['on_unavailable', 'on_error'] as const) {
        callsBefore = upstream.calls.length;
        upstream.script(...Array<Step>(calls).fill(step));

        const { status, json } = await create(policy);

        expect(callsSince()).toBe(calls);
        if (policy === 'on_error' ? fallsBack.onError : fallsBack.onUnavailable) {
          expect([status, json.provider]).toEqual([200, 'sandbox']);
          expect(json.attempts).toMatchObject([
            { provider: 'agent-responses', outcome: 'failed', error_code: code },
            { provider: 'sandbox', outcome: 'succeeded' },
          ]);
        } else {
          expect(json.error.bridge_ext).toMatchObject({
            code,
            provider: 'agent-responses',
            details: { attempts: [{ provider: 'agent-responses', error_code: code }] },
          });
        }
      }
    },
  );

  it('never falls back after the deadline of the whole request', async () => {
    upstream.script('silence=generating');

    const { status, json } = await create('on_error', 300);

    expect(status).toBe(504);
    expect(json.error.bridge_ext).toMatchObject({
      retryable: false,
      details: { outcome: 'unknown', provider_stopped: true },
    });
    expect(callsSince()).toBe(1);
  });

  it('fits the request to each route separately', async () => {
    const { json } = await createImage(bridge, {
      prompt: 'a fox',
      parameters: { size: '320x200' },
      output: { response_format: 'metadata' },
      routing: { provider: 'agent-responses', fallbacks: [{ provider: 'sandbox' }] },
    });

    expect(json.provider).toBe('sandbox');
    expect(json.data).toMatchObject([{ width: 320, height: 200 }]);
    expect(json.attempts).toMatchObject([{ error_code: 'unsupported_capability' }, {}]);
    expect(callsSince()).toBe(0);
  });
});

describe('the official client with its own retries', () => {
  const client = () =>
    new OpenAI({ baseURL: `${bridge.address}/v1`, apiKey: 'none', maxRetries: 2 });
  const ask = () =>
    client().post('/images', {
      body: { prompt: 'a fox', output: { response_format: 'metadata' } },
    });

  it.each(ROWS.filter(({ calls, onUnavailable }) => calls === 1 && !onUnavailable))(
    'sends no second call after $step',
    async ({ step }) => {
      upstream.script(step);

      await expect(ask()).rejects.toThrow();

      expect(callsSince()).toBe(1);
    },
  );

  it('neither retries nor falls back after a paid output', async () => {
    upstream.script('succeed', 'status=429', 'status=429');

    const failure: unknown = await client()
      .post('/images', {
        body: {
          prompt: 'a fox',
          parameters: { n: 2 },
          output: { response_format: 'metadata' },
          routing: { provider: 'agent-responses', fallbacks: [{ provider: 'sandbox' }] },
          policies: { batch_execution: 'sequential' },
        },
      })
      .then(
        () => undefined,
        (error) => error,
      );

    if (!(failure instanceof OpenAI.RateLimitError)) throw failure;
    expect(failure.error).toMatchObject({
      bridge_ext: { retryable: false, details: { succeeded_outputs: 1 } },
    });
    expect(failure.headers.get('x-should-retry')).toBe('false');
    expect(callsSince()).toBe(3);
  });

  it('succeeds with a backend that fails temporarily', async () => {
    upstream.script('status=500', 'status=500', 'status=500');

    const reply = await ask();

    expect(reply).toMatchObject({ provider: 'agent-responses' });
    expect(callsSince()).toBe(4);
  });
});
