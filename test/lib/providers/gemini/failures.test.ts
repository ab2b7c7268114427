import { describe, expect, it } from 'vitest';
import { BridgeError } from '../../../../lib/errors/bridge-error.ts';
import type { BehaviourName } from '../../../support/gemini-upstream/behaviours/behaviours.ts';
import { UPSTREAM_TEXT } from '../../../support/upstream/upstream-text.ts';
import { readPhoto } from '../../images/photos.ts';
import { agentRequest, inputOf, type RequestParts } from '../agent-responses/requests.ts';
import { useGeminiRig } from './gemini-rig.ts';

const rig = useGeminiRig();

interface Failure {
  readonly code: string;
  readonly transient: boolean;
  readonly retryable: boolean;
  readonly param: string | null;
  readonly details: object;
}

/** Returns the error with which a call rejects after this reply. */
async function failureOf(behaviour: BehaviourName, request: RequestParts = {}): Promise<Failure> {
  rig().upstream.script(behaviour);
  const error = await rig().run(agentRequest({ model: 'gemini-3-pro-image', ...request })).ended;
  if (!(error instanceof BridgeError)) throw new Error(`${behaviour} did not fail as it should`);
  expect(JSON.stringify([error.message, error.details])).not.toContain(UPSTREAM_TEXT);
  const { code, transient, retryable, param, details } = error;
  return { code, transient, retryable, param, details };
}

const UNKNOWN = { transient: false, retryable: false, param: null } as const;

describe('toFailure', () => {
  it.each([
    ['status=401', 'provider_authentication'],
    ['key=refused', 'provider_authentication'],
    ['status=403', 'permission_denied'],
    ['status=400,precondition', 'permission_denied'],
  ] as const)('converts %s to the error %s that is not retryable', async (behaviour, code) => {
    const failure = await failureOf(behaviour);

    expect(failure).toMatchObject({ code, transient: false, retryable: false });
    expect(rig().upstream.calls).toHaveLength(1);
  });

  it('reports an unknown model with the field that names the model', async () => {
    expect(await failureOf('status=404')).toMatchObject({
      code: 'unsupported_capability',
      param: 'routing.model',
      details: { field: 'routing.model' },
    });
  });

  it.each([
    ['status=400,ratio', { aspect_ratio: '16:9' }, 'parameters.aspect_ratio'],
    ['status=400,ratio', { size: '1376x768' }, 'parameters.size'],
    ['status=400,size', { resolution: '4k' }, 'parameters.resolution'],
    ['status=400,unknown-field', {}, null],
  ] as const)('reports %s with %j as unsupported at %s', async (behaviour, parameters, param) => {
    const failure = await failureOf(behaviour, { parameters });

    expect(failure).toMatchObject({ code: 'unsupported_capability', param });
  });

  it.each(['images', 'references'] as const)(
    'reports an unreadable image among the %s as an input error',
    async (kind) => {
      const unreadable = { [kind]: [inputOf(readPhoto('chelsea.png'))] };
      const param = kind === 'images' ? 'images' : 'reference_images';

      const failure = await failureOf('status=400,image', unreadable);

      expect(failure).toMatchObject({ code: 'input', param, transient: false });
    },
  );

  it.each([
    ['status=429', {}],
    ['status=429,per-minute', { retry_after_ms: 2000 }],
    ['status=429,retry-after=3', { retry_after_ms: 3000 }],
    ['status=429,odd-delay', {}],
  ] as const)('makes %s retryable after the reported wait', async (behaviour, details) => {
    const failure = await failureOf(behaviour);

    expect(failure).toMatchObject({ code: 'rate_limited', transient: true });
    expect(failure.details).toEqual(details);
  });

  it.each([
    ['status=429,per-day', { reason: 'quota' }],
    ['status=402', { reason: 'quota' }],
  ] as const)(
    'reports %s as an exhausted quota that is not retryable',
    async (behaviour, details) => {
      const failure = await failureOf(behaviour);

      expect(failure).toMatchObject({ code: 'rate_limited', retryable: false, transient: false });
      expect(failure.details).toEqual(details);
    },
  );

  it.each([
    'status=409',
    'status=500',
    'status=503',
    'status=500,empty',
    'status=500,huge',
    'error=200',
  ] as const)('makes %s retryable because nothing was made', async (behaviour) => {
    expect(await failureOf(behaviour)).toEqual({
      code: 'upstream',
      transient: true,
      retryable: true,
      param: null,
      details: {},
    });
  });

  it.each([
    'status=408',
    'status=502',
    'status=502,html',
    'status=504',
    'status=520',
    'status=529',
    // The image may be charged, regardless of the error.
    'error=200,image',
  ] as const)('treats the outcome of %s as unknown and not retryable', async (behaviour) => {
    expect(await failureOf(behaviour)).toEqual({
      code: 'upstream',
      ...UNKNOWN,
      details: { outcome: 'unknown' },
    });
  });

  it.each([
    ['status=400', { upstream_code: 'INVALID_ARGUMENT' }],
    ['status=413', { upstream_code: 'INVALID_ARGUMENT' }],
    ['status=400,odd', {}],
  ] as const)('reports %s as an invalid request', async (behaviour, details) => {
    expect(await failureOf(behaviour)).toEqual({
      code: 'refused_by_provider',
      ...UNKNOWN,
      details: { reason: 'refused_by_provider', ...details },
    });
  });

  it.each([
    ['status=499', { upstream_code: 'CANCELLED' }],
    ['status=404,html', {}],
    ['status=301', {}],
    ['status=308', {}],
    ['error=200,odd', {}],
  ] as const)('reports %s as a failure of the backend', async (behaviour, details) => {
    const failure = await failureOf(behaviour);

    expect(failure).toEqual({ code: 'upstream', ...UNKNOWN, details });
    expect(rig().upstream.unrouted).toEqual([]);
  });
});

describe('a reply that cannot be read', () => {
  it.each([
    ['html=200', 'not_json'],
    ['empty=200', 'not_json'],
    ['truncated', 'not_json'],
    ['null=200', 'not_json'],
    ['shape=200', 'unexpected_reply'],
    ['flood', 'stream_too_long'],
  ] as const)('makes the outcome of the call unknown: %s', async (behaviour, reason) => {
    expect(await failureOf(behaviour)).toEqual({
      code: 'protocol',
      ...UNKNOWN,
      details: { outcome: 'unknown', reason },
    });
  });

  it.each(['cut=body', 'close=before-headers', 'reset=before-headers', 'garbage=http'] as const)(
    'makes the outcome of the call unknown if the connection breaks: %s',
    async (behaviour) => {
      expect(await failureOf(behaviour)).toEqual({
        code: 'protocol',
        ...UNKNOWN,
        details: { outcome: 'unknown' },
      });
      expect(rig().upstream.calls).toHaveLength(1);
    },
  );
});

describe('a reply without an image', () => {
  it.each([
    ['block=SAFETY', 'input'],
    ['block=OTHER', 'input'],
    ['block=IMAGE_SAFETY', 'input'],
    ['finish=SAFETY', 'output'],
    ['finish=PROHIBITED_CONTENT', 'output'],
    ['finish=BLOCKLIST', 'output'],
    ['finish=SPII', 'output'],
    ['finish=RECITATION', 'output'],
    ['finish=MODEL_ARMOR', 'output'],
    ['finish=IMAGE_SAFETY', 'output'],
    ['finish=IMAGE_PROHIBITED_CONTENT', 'output'],
    ['finish=IMAGE_RECITATION', 'output'],
  ] as const)('is reported as a safety rejection: %s', async (behaviour, stage) => {
    expect(await failureOf(behaviour)).toMatchObject({
      code: 'safety_rejected',
      transient: false,
      details: { moderation_stage: stage, input_images_present: false },
    });
  });

  it.each([
    ['finish=NO_IMAGE', { upstream_code: 'NO_IMAGE' }],
    ['finish=IMAGE_OTHER', { upstream_code: 'IMAGE_OTHER' }],
    ['finish=MAX_TOKENS', { upstream_code: 'MAX_TOKENS' }],
    ['words-only', { upstream_code: 'STOP' }],
    ['thoughts-only', { upstream_code: 'STOP' }],
    ['finish=odd', {}],
    ['no-candidates', {}],
  ] as const)('is reported as a failure that is not retryable: %s', async (behaviour, details) => {
    expect(await failureOf(behaviour)).toEqual({
      code: 'upstream',
      ...UNKNOWN,
      details: { reason: 'no_image', ...details },
    });
  });

  it.each(['base64=words', 'image=empty'] as const)(
    'is reported as a protocol error if its bytes are not an image: %s',
    async (behaviour) => {
      expect(await failureOf(behaviour)).toEqual({
        code: 'protocol',
        ...UNKNOWN,
        details: { reason: 'unusable_image' },
      });
    },
  );
});
