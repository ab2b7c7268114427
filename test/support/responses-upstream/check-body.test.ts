import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendPlain } from '../upstream/plain-client.ts';
import { callWell, goodBody, goodHeaders } from './good-calls.ts';
import { createResponsesUpstream, type ResponsesUpstream } from './responses-upstream.ts';

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const PNG = `data:image/png;base64,${PIXEL}`;
/** This model allows every option. */
const ABLE = { model: 'gpt-image-1.5' };

const ALL_OPTIONS = {
  ...ABLE,
  size: '1536x1024',
  quality: 'high',
  background: 'transparent',
  moderation: 'low',
  action: 'edit',
  partial_images: 3,
  input_fidelity: 'low',
};

let upstream: ResponsesUpstream;

beforeAll(async () => {
  upstream = await createResponsesUpstream();
  upstream.setDefaultBehaviour('empty=204');
});
afterAll(() => upstream.close());

function withImages(urls: readonly unknown[], tool: Readonly<Record<string, unknown>> = {}) {
  const body = goodBody('A lighthouse', tool);
  const images = urls.map((image_url) => ({ type: 'input_image', image_url, detail: 'auto' }));
  const [message] = body.input;
  const content = [...(message?.content ?? []), ...images];
  return { ...body, input: [{ ...message, content }] };
}

function withContent(content: readonly unknown[]) {
  return { ...goodBody(''), input: [{ type: 'message', role: 'user', content }] };
}

const text = { type: 'input_text', text: 'A lighthouse' };
const image = { type: 'input_image', image_url: PNG, detail: 'auto' };

describe('checkBody', () => {
  it.each([
    ['the least', goodBody('A lighthouse')],
    ['all options', withImages([PNG], ALL_OPTIONS)],
    ['five images', withImages([PNG, PNG, PNG, PNG, PNG])],
    ['a large size', goodBody('A lighthouse', { size: '3840x2160' })],
    ['a compressed WebP', goodBody('x', { output_format: 'webp', output_compression: 0 })],
    ['explicitly no partial images', goodBody('x', { partial_images: 0 })],
  ])('accepts %s', async (_what, body) => {
    const reply = await callWell(upstream, '', { body: JSON.stringify(body) });

    expect(reply?.status).toBe(204);
  });

  it.each([
    ['model', { ...goodBody('x'), model: 'gpt-0' }],
    ['instructions', { ...goodBody('x'), instructions: '' }],
    ['instructions', { ...goodBody('x'), instructions: undefined }],
    ['user', { ...goodBody('x'), user: 'someone' }],
    ['stream', { ...goodBody('x'), stream: false }],
    ['store', { ...goodBody('x'), store: true }],
    ['tool_choice.type', { ...goodBody('x'), tool_choice: { type: 'web_search_preview' } }],
    ['tool_choice', { ...goodBody('x'), tool_choice: 'auto' }],
    ['tools', { ...goodBody('x'), tools: [] }],
    ['tools', { ...goodBody('x'), tools: [...goodBody('x').tools, ...goodBody('x').tools] }],
    ['input', { ...goodBody('x'), input: 'A lighthouse' }],
    ['input', { ...goodBody('x'), input: [] }],
    ['input[0].id', { ...goodBody('x'), input: [{ ...goodBody('x').input[0], id: 'msg_1' }] }],
    ['input[0].role', { ...goodBody('x'), input: [{ ...goodBody('x').input[0], role: 'system' }] }],
    ['input[0].content', withContent([])],
    ['input[0].content', withContent([image, text])],
    ['input[0].content', withContent([text, text])],
    ['input[0].content[0].text', withContent([{ ...text, text: '' }])],
    ['input[0].content[0].name', withContent([{ ...text, name: 'x' }])],
    ['input[0].content[1].detail', withContent([text, { ...image, detail: 'high' }])],
    ['input[0].content[1].detail', withContent([text, { ...image, detail: undefined }])],
    ['input[0].content[1].type', withContent([text, { ...image, type: 'input_file' }])],
  ])('rejects a body with a wrong %s', async (param, body) => {
    const reply = await callWell(upstream, '', { body: JSON.stringify(body) });

    expect(reply?.status).toBe(400);
    expect(errorIn(reply?.bytes)).toMatchObject({ type: 'invalid_request_error', param });
  });

  it.each([
    ['model', { model: 'gpt-image-0' }],
    ['output_format', { output_format: undefined }],
    ['output_format', { output_format: 'gif' }],
    ['size', { size: 'auto' }],
    ['size', { size: '512x512' }],
    ['size', { model: 'gpt-image-1', size: '2048x2048' }],
    ['quality', { quality: 'auto' }],
    ['quality', { quality: 'hd' }],
    ['background', { background: 'auto' }],
    ['background', { background: 'transparent' }],
    ['background', { ...ABLE, background: 'transparent', output_format: 'jpeg' }],
    ['moderation', { moderation: 'auto' }],
    ['moderation', { moderation: 'high' }],
    ['action', { action: 'auto' }],
    ['action', { action: 'edit' }],
    ['input_fidelity', { input_fidelity: 'high' }],
    ['input_fidelity', { ...ABLE, input_fidelity: null }],
    ['output_compression', { output_compression: 80 }],
    ['output_compression', { output_format: 'jpeg', output_compression: 101 }],
    ['output_compression', { output_format: 'jpeg', output_compression: 8.5 }],
    ['partial_images', { partial_images: 4 }],
    ['partial_images', { partial_images: '1' }],
    ['n', { n: 2 }],
    ['input_image_mask', { input_image_mask: { image_url: PNG } }],
  ])('rejects a tool with a wrong %s', async (member, tool) => {
    const body = JSON.stringify(goodBody('A lighthouse', tool));

    const reply = await callWell(upstream, '', { body });

    expect(reply?.status).toBe(400);
    expect(errorIn(reply?.bytes)).toMatchObject({ param: `tools[0].${member}` });
  });

  it.each([
    ['invalid_image_url', 'https://example.com/a.png'],
    ['invalid_image_url', `data:image/gif;base64,${PIXEL}`],
    ['invalid_image_url', `data:image/png,${PIXEL}`],
    ['invalid_base64_image', `${PNG.slice(0, 60)}*${PNG.slice(61)}`],
    ['invalid_base64_image', `${PNG}\n`],
    ['invalid_base64_image', PNG.slice(0, -1)],
    ['empty_image_file', 'data:image/png;base64,'],
    ['invalid_image_format', `data:image/jpeg;base64,${PIXEL}`],
    ['invalid_image_format', `data:image/webp;base64,${PIXEL}`],
    ['invalid_image_format', `data:image/png;base64,${Buffer.from('<svg/>').toString('base64')}`],
  ])('rejects an image with %s', async (code, url) => {
    const body = JSON.stringify(withImages([PNG, url]));

    const reply = await callWell(upstream, '', { body });

    expect(reply?.status).toBe(400);
    expect(errorIn(reply?.bytes)).toMatchObject({ code, param: 'input[0].content[2].image_url' });
  });

  it('rejects a sixth image', async () => {
    const body = JSON.stringify(withImages([PNG, PNG, PNG, PNG, PNG, PNG]));

    const reply = await callWell(upstream, '', { body });

    expect(errorIn(reply?.bytes)).toMatchObject({ code: 'too_many_images' });
  });

  it('rejects a body that is not JSON', async () => {
    const reply = await callWell(upstream, '', { body: '{"model":' });

    expect(errorIn(reply?.bytes)).toMatchObject({ code: 'invalid_json' });
  });

  it('rejects a prompt that names an unknown behaviour', async () => {
    const reply = await callWell(upstream, 'A cup [[fail:no-such-thing]]');

    expect(errorIn(reply?.bytes)).toMatchObject({ code: 'unknown_behaviour' });
  });
});

describe('checkHead', () => {
  it.each([
    ['accept', '*/*', 400],
    ['content-type', 'text/plain', 400],
    ['content-type', 'application/json; charset=latin1', 400],
    ['content-encoding', 'gzip', 400],
    ['chatgpt-account-id', 'someone-else', 400],
    ['originator', 'somebody', 400],
    ['authorization', 'Bearer made-up', 401],
    ['authorization', 'Basic eDp5', 401],
  ])('rejects %s: %s', async (name, value, status) => {
    const headers = { ...goodHeaders(upstream), [name]: value };

    const reply = await callWell(upstream, 'A cup', { headers });

    expect(reply?.status).toBe(status);
    expect(errorIn(reply?.bytes)).toMatchObject({ param: name });
  });

  it.each(['accept', 'content-type', 'chatgpt-account-id', 'originator', 'authorization'])(
    'rejects a call without %s',
    async (name) => {
      const { [name]: _, ...headers } = goodHeaders(upstream);

      const reply = await callWell(upstream, 'A cup', { headers });

      expect(errorIn(reply?.bytes)).toMatchObject({ param: name });
    },
  );
});

describe('listen', () => {
  it.each([
    ['POST', '/backend-api/codex/response', 404],
    ['POST', '/backend-api/codex/responses?stream=1', 404],
    ['POST', '/', 404],
    ['GET', '/backend-api/codex/responses', 405],
    ['GET', '/oauth/token', 405],
  ])('has no route for %s %s', async (method, path, status) => {
    const url = new URL(path, upstream.url).href;

    const reply = await sendPlain({ url, method, headers: goodHeaders(upstream) });

    expect(reply?.status).toBe(status);
    expect(upstream.unrouted.at(-1)).toBe(`${method} ${path}`);
  });
});

function errorIn(bytes: Buffer | undefined): unknown {
  return JSON.parse(bytes?.toString() ?? '{}').error;
}
