import { createFalClient } from '@fal-ai/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAL } from '../../../../lib/providers/task/services/fal.ts';
import { openTaskRig } from '../../../support/task-rig.ts';
import { FAL_UPSTREAM } from '../../../support/task-upstream/services/fal.ts';
import {
  createTaskUpstream,
  type TaskUpstream,
} from '../../../support/task-upstream/task-upstream.ts';
import { agentRequest, inputOf } from '../agent-responses/requests.ts';
import { json, openImageServer } from '../openai-images/image-server.ts';

const SOURCE = inputOf(Buffer.from('source'));
const REQUEST = agentRequest({ model: 'fal-ai/flux/dev', images: [SOURCE, SOURCE] });

function failureOf(
  status: number,
  value: unknown,
  header: (name: string) => string | undefined = () => undefined,
) {
  const model = FAL.model('');
  if (!model) throw new Error('fal has no model');
  const reply = { status, header, value };
  return FAL.failure(reply, { model, constants: {}, request: REQUEST });
}

/** Runs a call with a large image. The server replies to the upload of the bytes with `putStatus`. */
async function upload(putStatus: number) {
  const large = { ...inputOf(Buffer.alloc(8_388_609)), sha256: 'abc' };
  const server = await openImageServer(async (call, response) => {
    if (call.path.startsWith('/storage')) {
      const target = { upload_url: `${server.url}/put`, file_url: `${server.url}/files/1` };
      return json(target)(call, response);
    }
    return json({ detail: 'seen' }, call.path === '/put' ? putStatus : 400)(call, response);
  });
  const uploads = FAL.upload;
  if (!uploads) throw new Error('fal has uploads');
  const initiation: typeof uploads.initiation = (input) => ({
    url: `${server.url}/storage/upload/initiate?storage_type=fal-cdn-v3`,
    json: uploads.initiation(input).json,
  });
  const model = FAL.model('');
  const service = {
    ...FAL,
    upload: { ...uploads, initiation },
    model: () =>
      model && {
        ...model,
        inputLimits: { max_count: 1, max_bytes_total: 1e9 },
        refuse: () => undefined,
        inputs: (
          { request }: Parameters<typeof model.inputs>[0],
          { url }: Parameters<typeof model.inputs>[1],
        ) => ({ prompt: request.prompt, image_url: request.images.map(url)[0] }),
      },
  };
  const rig = openTaskRig({
    service,
    settings: {
      service: 'fal',
      base_url: server.url,
      models: ['fal-ai/a'],
      image_model: 'fal-ai/a',
    },
  });

  const ended = await rig.run(agentRequest({ model: 'fal-ai/a', images: [large] })).ended;
  await rig.close();
  await server.close();
  return { ended, received: server.received, url: server.url };
}

describe('FAL', () => {
  it.each<readonly [string, object]>([
    ['content_policy_violation', { code: 'safety_rejected', effect: 'made' }],
    ['no_media_generated', { code: 'safety_rejected', effect: 'made' }],
    ['image_too_large', { code: 'input' }],
    ['file_download_error', { code: 'input' }],
    ['unsupported_image_format', { code: 'input' }],
    ['face_detection_error', { code: 'input' }],
    ['less_than_equal', { code: 'refused_by_provider' }],
  ])('reports the fault "%s" of an input with its field', (type, row) => {
    const value = { detail: [{ loc: ['body', 'image_urls', 1], type, msg: 'secret' }] };

    expect(failureOf(422, value)).toMatchObject({ row, code: type, field: 'images[1]' });
  });

  it.each([
    'request_timeout',
    'startup_timeout',
    'generation_timeout',
    'runner_disconnected',
    'internal_error',
    'downstream_service_error',
    'a_new_error',
  ])('reports the failure "%s" of a model as free', (type) => {
    expect(failureOf(500, { detail: 'secret', error_type: type })).toMatchObject({
      row: { code: 'upstream', transient: true },
    });
  });

  it('reports a task that fal withdrew at the deadline as not begun', () => {
    const header = (name: string) => (name === 'x-fal-request-timeout-type' ? 'user' : undefined);

    expect(failureOf(504, undefined, header)).toEqual({
      row: expect.objectContaining({ code: 'timeout', effect: 'not_begun' }),
    });
    expect(failureOf(504, undefined)).toBeUndefined();
  });

  it.each([
    [90_000, '90'],
    [1500, '2'],
    [0, '2'],
  ])('lets a task wait for %i ms as %s seconds', (remainingMs, secs) => {
    const model = FAL.model('');
    if (!model) throw new Error('fal has no model');
    const call = { request: REQUEST, model, constants: {}, seed: 1 };

    expect(FAL.submission(call, remainingMs).headers).toMatchObject({
      'x-fal-request-timeout': secs,
    });
  });

  it('reports a locked account as an exhausted quota', () => {
    expect(failureOf(403, { detail: 'User is locked. Reason: Exhausted balance.' })).toMatchObject({
      row: { code: 'rate_limited', details: { reason: 'quota' } },
    });
  });

  it.each([
    ['HTML', undefined],
    ['another object', { message: 'x' }],
    ['an empty list', { detail: [] }],
  ])('does not recognize %s as an error of fal', (_, value) => {
    expect(failureOf(502, value)).toBeUndefined();
  });

  it('uploads an image above 8 MiB and sends its URL', async () => {
    const { received, url } = await upload(200);

    const [start, put, post] = received;
    expect(JSON.parse(String(start?.body))).toEqual({
      content_type: 'image/png',
      file_name: 'abc.png',
    });
    expect(start?.headers.authorization).toBe('Key a-made-up-key');
    expect([put?.method, put?.body.length]).toEqual(['PUT', 8_388_609]);
    expect(put?.headers.authorization).toBeUndefined();
    expect(JSON.parse(String(post?.body))).toMatchObject({ image_url: `${url}/files/1` });
  });

  it('does not blame the key of the account for a rejected upload of bytes', async () => {
    const { ended, received } = await upload(403);

    expect(ended).toMatchObject({ code: 'upstream', details: { reason: 'upload_failed' } });
    expect(received).toHaveLength(2);
  });
});

describe("the emulator of fal's queue", () => {
  let upstream: TaskUpstream;
  beforeAll(async () => {
    upstream = await createTaskUpstream({ service: FAL_UPSTREAM });
  });
  afterAll(() => upstream.close());

  it("is driven by fal's own client", async () => {
    const client = createFalClient({
      credentials: upstream.key,
      // The client has fixed addresses. Its requests go to the same paths of the emulator, without `logs`.
      fetch: (input, init) => {
        const url = new URL(String(input));
        const moved = `${upstream.url}${url.pathname}`;
        const headers = new Headers(init?.headers);
        headers.set('x-fal-object-lifecycle-preference', '{"expiration_duration_seconds":86400}');
        headers.set('x-fal-request-timeout', '60');
        return fetch(moved, { ...init, headers });
      },
    });

    const result = await client.subscribe('fal-ai/flux/dev', {
      input: { prompt: 'A gull', num_images: 2, output_format: 'png' },
      pollInterval: 5,
    });

    expect(result.data.images).toHaveLength(2);
    expect(upstream.orders().at(-1)).toMatchObject({ prompt: 'A gull', count: 2 });
  });
});
