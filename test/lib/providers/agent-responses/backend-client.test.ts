import { describe, expect, it } from 'vitest';
import { BridgeError } from '../../../../lib/errors/bridge-error.ts';
import type { StreamedBody } from '../../../../lib/net/http-client.ts';
import { createTimeSlices } from '../../../../lib/platform/time-slices.ts';
import { createBackendClient } from '../../../../lib/providers/agent-responses/backend-client.ts';
import {
  type Credentials,
  createCredentials,
} from '../../../../lib/providers/credentials/credentials.ts';
import { createEventStreams, streamLimits } from '../../../../lib/providers/http/sse.ts';
import type { ProviderEvent } from '../../../../lib/providers/provider-port.ts';
import { createManualClock } from '../../../support/manual-clock.ts';
import { completed, done, imageCall, imageOf } from './outcome-rig.ts';
import { agentRequest } from './requests.ts';
import { createScriptedHttp, type ScriptedReply } from './scripted-http.ts';

const ENDPOINT = 'https://backend.example/responses';
const IMAGE = imageOf(1, 40_000);
const BODY: StreamedBody = {
  byteLength: 7,
  async *chunks() {
    yield Buffer.from('{"a":1}');
  },
};

const line = (event: unknown) => `data: ${JSON.stringify(event)}\n\n`;
const SUCCESS = line(done(imageCall(IMAGE))) + line(completed());

function loginOf(accessToken: string, accountId?: string): Credentials {
  return createCredentials({
    accessToken,
    accountId,
    planType: undefined,
    expiresAtMs: undefined,
  });
}

interface Rig {
  readonly replies: readonly (ScriptedReply | Error)[];
  readonly current?: () => Promise<Credentials>;
  readonly refreshAfter?: (rejected: Credentials) => Promise<Credentials>;
  readonly maxEncodedBytes?: number;
}

function rigOf({ replies, current, refreshAfter, maxEncodedBytes = 1024 * 1024 }: Rig) {
  const clock = createManualClock();
  const http = createScriptedHttp(replies);
  const events: ProviderEvent[] = [];
  const controller = new AbortController();
  const client = createBackendClient({
    httpClient: http,
    credentials: {
      current: current ?? (async () => loginOf('first', 'account')),
      refreshAfter:
        refreshAfter ??
        (() => {
          throw new Error('a renewal was not expected');
        }),
    },
    endpoint: ENDPOINT,
    streams: createEventStreams({
      limits: streamLimits(maxEncodedBytes),
      slices: createTimeSlices(clock),
      clock,
    }),
    clock,
  });
  return {
    http,
    clock,
    events,
    abort: (reason: Error) => controller.abort(reason),
    call: () =>
      client.call(BODY, agentRequest({ indices: [3] }), {
        requestId: 'a-request',
        attempt: 1,
        signal: controller.signal,
        onEvent: (event) => events.push(event),
        accepted: async () => false,
        billedAs: () => {},
        remainingMs: () => 60_000,
      }),
  };
}

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    (value) => ({ unexpected: value }),
    (thrown: unknown) => thrown,
  );
}

/** Returns the part of a failure that a client of the bridge sees. */
async function shownOf(work: Promise<unknown>) {
  const error = await failureOf(work);
  if (!(error instanceof BridgeError)) throw new Error('no BridgeError');
  const { code, retryable, transient, details, upstreamRequestId } = error;
  return { code, retryable, transient, details, upstreamRequestId };
}

/** The failure of a call whose output had begun. */
const PERHAPS_MADE = {
  code: 'upstream',
  retryable: false,
  transient: false,
  details: { outcome: 'unknown' },
};

function failedWith(response: object): object {
  return { type: 'response.failed', response: { ...response, error: { code: 'server_error' } } };
}

describe('createBackendClient', () => {
  it('posts the body with the headers of the backend and returns the image', async () => {
    const { call, http, events } = rigOf({ replies: [{ chunks: [SUCCESS] }] });

    const result = await call();

    expect(result).toEqual({ outputs: [{ bytes: IMAGE }] });
    expect(http.requests).toEqual([
      {
        url: ENDPOINT,
        method: 'POST',
        headers: {
          authorization: 'Bearer first',
          'chatgpt-account-id': 'account',
          originator: 'image-bridge',
          'content-type': 'application/json',
          accept: 'text/event-stream',
        },
        body: BODY,
        signal: expect.any(AbortSignal),
        onSending: expect.any(Function),
      },
    ]);
    expect(events).toEqual([{ type: 'progress', stage: 'dispatched' }]);
  });

  it('sends no account header if the login has no account', async () => {
    const { call, http } = rigOf({
      replies: [{ chunks: [SUCCESS] }],
      current: async () => loginOf('first'),
    });

    await call();

    expect(http.requests[0]?.headers).not.toHaveProperty('chatgpt-account-id');
  });

  it('sends no request without a login', async () => {
    const lost = new BridgeError('provider_authentication', 'no login');
    const { call, http, events } = rigOf({ replies: [], current: () => Promise.reject(lost) });

    expect(await failureOf(call())).toBe(lost);
    expect(http.requests).toEqual([]);
    expect(events).toEqual([]);
  });

  it('rejects with the original error of a request that was never sent', async () => {
    const refused = new BridgeError('upstream', 'no connection', { retryable: true });
    const { call, events } = rigOf({ replies: [refused] });

    expect(await failureOf(call())).toBe(refused);
    expect(events).toEqual([]);
  });

  it('reads a completed reply to its end so that the connection can be reused', async () => {
    const { call, http, clock } = rigOf({ replies: [{ chunks: [SUCCESS, ': bye\n\n'] }] });

    const { outputs } = await call();

    expect(outputs).toHaveLength(1);
    expect(http.closed).toEqual([false]);
    expect(clock.waiting).toBe(0);
  });

  it('closes a completed reply whose end does not arrive', async () => {
    const { call, http, clock } = rigOf({ replies: [{ chunks: [SUCCESS], ending: 'hang' }] });
    const result = call();

    await clock.advance(50);

    expect((await result).outputs).toHaveLength(1);
    expect(http.closed).toEqual([true]);
  });

  it('ignores a connection that breaks after the completed reply', async () => {
    const { call } = rigOf({ replies: [{ chunks: [SUCCESS], ending: new Error('reset') }] });

    expect((await call()).outputs).toHaveLength(1);
  });

  it.each([
    ['words', 'data: [DONE]\n\n'],
    ['a failure', line({ type: 'response.failed', response: { error: { code: 'server_error' } } })],
    ['more than an event may hold', `data: "${'A'.repeat(3_000_000)}"\n\n`],
  ])('ignores %s after the completed reply', async (_name, more) => {
    const { call } = rigOf({ replies: [{ chunks: [`${SUCCESS}${more}`] }] });

    expect((await call()).outputs).toHaveLength(1);
  });

  it.each([
    [
      'an endless line',
      { chunks: ['data: "', ...Array(30).fill('A'.repeat(100_000))] },
      'event_too_long',
    ],
    [
      'an endless stream',
      { chunks: Array(200).fill(`: ${'A'.repeat(50_000)}\n\n`) },
      'stream_too_long',
    ],
    ['nonsense', { chunks: ['data: alive\n\n'] }, 'not_json'],
    ['a page', { chunks: ['<!doctype html><p>hello</p>'] }, 'stream_ended_early'],
    ['no body', { status: 204 }, 'stream_ended_early'],
  ])('reports an unknown outcome for %s', async (_name, reply, reason) => {
    const { call } = rigOf({ replies: [reply] });

    expect(await shownOf(call())).toMatchObject({
      code: 'protocol',
      retryable: false,
      transient: false,
      details: { outcome: 'unknown', reason },
    });
  });

  it.each([
    [
      'a partial image',
      {
        type: 'response.image_generation_call.partial_image',
        partial_image_index: 0,
        partial_image_b64: 'no!',
      },
    ],
    ['a finished item', done(imageCall(IMAGE))],
    ['a finished item that is unusable', done(imageCall('no!'))],
  ])('reports an unknown outcome for a call that fails after %s', async (_name, event) => {
    const { call } = rigOf({ replies: [{ chunks: [line(event), line(failedWith({}))] }] });

    expect(await shownOf(call())).toMatchObject(PERHAPS_MADE);
  });

  it('reports an unknown outcome for a failed response that contains an image', async () => {
    const failed = failedWith({ output: [imageCall(IMAGE)] });
    const { call } = rigOf({ replies: [{ chunks: [line(failed)] }] });

    expect(await shownOf(call())).toMatchObject(PERHAPS_MADE);
  });

  it('makes a call retryable that fails before its output', async () => {
    const { call } = rigOf({ replies: [{ chunks: [line(failedWith({ output: [] }))] }] });

    expect(await shownOf(call())).toMatchObject({ retryable: true, transient: true });
  });

  it('reports the cause of a broken connection', async () => {
    const lost = new BridgeError('protocol', 'lost', { details: { outcome: 'unknown' } });
    const { call } = rigOf({ replies: [{ chunks: [line({ type: 'x' })], ending: lost }] });

    expect(await shownOf(call())).toEqual({
      code: 'protocol',
      retryable: false,
      transient: false,
      details: { outcome: 'unknown' },
      upstreamRequestId: undefined,
    });
  });

  it.each([
    ['of a failed stream', { chunks: ['data: x\n\n'] }],
    ['of a truncated stream', {}],
    ['of a refusal', { status: 500 }],
  ])('reports the request id of the backend %s', async (_name, reply) => {
    const headers = { 'x-request-id': 'req_1.a-B' };
    const { call } = rigOf({ replies: [{ ...reply, headers }] });

    expect(await shownOf(call())).toMatchObject({ upstreamRequestId: 'req_1.a-B' });
  });

  it.each(['two words', '', 'x'.repeat(129), '<b>'])(
    'omits the invalid request id %j',
    async (id) => {
      const { call } = rigOf({ replies: [{ status: 500, headers: { 'x-request-id': id } }] });

      expect(await shownOf(call())).toMatchObject({ upstreamRequestId: undefined });
    },
  );
});

describe('a refusal of the backend', () => {
  it.each([
    ['with a code', 400, '{"error":{"code":"cyber_policy"}}', { code: 'safety_rejected' }],
    [
      'with a type alone',
      400,
      '{"error":{"code":null,"type":"cyber_policy"}}',
      { code: 'safety_rejected' },
    ],
    ['with a page', 502, '<html>', { code: 'upstream', transient: true }],
    ['with nothing', 404, '', { code: 'upstream', retryable: false }],
    [
      'with too much',
      400,
      `{"error":{"code":"cyber_policy","x":"${'x'.repeat(70_000)}"}}`,
      { code: 'refused_by_provider', retryable: false },
    ],
    ['that points elsewhere', 307, '', { code: 'upstream', retryable: false }],
  ])('is reported %s', async (_name, status, body, expected) => {
    const { call, http } = rigOf({ replies: [{ status, chunks: [body] }] });

    expect(await shownOf(call())).toMatchObject(expected);
    expect(http.requests).toHaveLength(1);
  });

  it('is converted by its status if its body breaks off', async () => {
    const { call } = rigOf({
      replies: [{ status: 503, chunks: ['{'], ending: new Error('reset') }],
    });

    expect(await shownOf(call())).toMatchObject({ code: 'upstream', transient: true });
  });

  it('is converted by its status if its body does not arrive', async () => {
    const { call, clock, http } = rigOf({ replies: [{ status: 503, ending: 'hang' }] });
    const shown = shownOf(call());

    await clock.advance(2000);

    expect(await shown).toMatchObject({ code: 'upstream', transient: true });
    expect(http.closed).toEqual([true]);
    expect(clock.waiting).toBe(0);
  });

  it('rejects with the reason of the signal that aborts while its body is awaited', async () => {
    const { call, clock, abort } = rigOf({ replies: [{ status: 503, ending: 'hang' }] });
    const reason = new Error('given up');
    const failure = failureOf(call());
    await clock.advance(1);

    abort(reason);

    expect(await failure).toBe(reason);
    expect(clock.waiting).toBe(0);
  });

  it('reports the wait in milliseconds from now', async () => {
    const headers = { 'retry-after': 'Wed, 01 Jan 2025 00:00:09 GMT' };
    const { call, clock } = rigOf({ replies: [{ status: 429, headers }] });
    await clock.advance(2000);

    expect(await shownOf(call())).toMatchObject({
      code: 'rate_limited',
      transient: true,
      details: { retry_after_ms: 7000 },
    });
  });
});

describe('a 401 of the backend', () => {
  it('renews the login and repeats the call once', async () => {
    const rejected: Credentials[] = [];
    const { call, http } = rigOf({
      replies: [{ status: 401, ending: 'hang' }, { chunks: [SUCCESS] }],
      refreshAfter: async (credentials) => {
        rejected.push(credentials);
        return loginOf('second', 'account');
      },
    });

    const { outputs } = await call();

    expect(outputs).toHaveLength(1);
    expect(rejected.map(({ accessToken }) => accessToken)).toEqual(['first']);
    expect(http.requests.map(({ headers }) => headers['authorization'])).toEqual([
      'Bearer first',
      'Bearer second',
    ]);
    expect(http.requests[1]?.body).toBe(BODY);
    expect(http.closed).toEqual([true, false]);
  });

  it('rejects the call if it is the second 401', async () => {
    const { call, http } = rigOf({
      replies: [{ status: 401 }, { status: 401 }],
      refreshAfter: async () => loginOf('second'),
    });

    expect(await shownOf(call())).toMatchObject({
      code: 'provider_authentication',
      retryable: false,
      transient: false,
      details: {},
    });
    expect(http.requests).toHaveLength(2);
  });

  it('rejects the call if the login cannot be renewed', async () => {
    const refused = new BridgeError('provider_authentication', 'refused');
    const { call, http } = rigOf({
      replies: [{ status: 401 }],
      refreshAfter: () => Promise.reject(refused),
    });

    expect(await failureOf(call())).toBe(refused);
    expect(http.requests).toHaveLength(1);
  });

  it('does not change how the outcome of the repeated call is reported', async () => {
    const { call } = rigOf({
      replies: [{ status: 401 }, { status: 503 }],
      refreshAfter: async () => loginOf('second'),
    });

    expect(await shownOf(call())).toMatchObject({ code: 'upstream', transient: true });
  });
});
