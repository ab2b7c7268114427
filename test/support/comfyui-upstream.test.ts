import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ComfyUpstream, createComfyUpstream } from './comfyui-upstream/comfyui-upstream.ts';
import { IMAGE_TO_IMAGE, TEXT_TO_IMAGE } from './comfyui-upstream/workflows.ts';
import { sendPlain } from './upstream/plain-client.ts';

let upstream: ComfyUpstream;

beforeEach(async () => {
  upstream = await createComfyUpstream({ imageBytes: 30_000 });
});
afterEach(() => upstream.close());

const CLIENT = '0197f3c2-0000-7000-8000-000000000001';
const PROMPT = '0197f3c2-0000-7000-8000-000000000002';

async function post(path: string, value: unknown) {
  const reply = await sendPlain({
    url: `${upstream.url}${path}`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(value),
  });
  return { status: reply?.status, text: String(reply?.bytes) };
}

const get = async (path: string) =>
  (await sendPlain({ url: `${upstream.url}${path}`, method: 'GET' }))?.bytes ?? Buffer.alloc(0);

const submission = (prompt: unknown = TEXT_TO_IMAGE, id = PROMPT) => ({
  prompt,
  client_id: CLIENT,
  prompt_id: id,
});

const withInput = (node: string, changes: object) => {
  const found = TEXT_TO_IMAGE[node];
  return { ...TEXT_TO_IMAGE, [node]: { ...found, inputs: { ...found?.inputs, ...changes } } };
};

describe('createComfyUpstream', () => {
  it('runs a workflow and serves its image', async () => {
    const { text } = await post('/prompt', submission());
    await upstream.until(() => upstream.prompts[0]?.state === 'done');

    const history = JSON.parse(String(await get(`/history/${PROMPT}`)));
    const { filename, subfolder, type } = history[PROMPT].outputs['9'].images[0];
    const query = new URLSearchParams({ filename, subfolder, type });
    const bytes = await get(`/view?${query}`);

    expect(JSON.parse(text)).toMatchObject({ prompt_id: PROMPT, node_errors: {} });
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([512, 512]);
  });

  it.each([
    ['an unknown member', { ...submission(), extra: 1 }],
    ['no id', { prompt: TEXT_TO_IMAGE, client_id: CLIENT }],
    ['a node that it does not have', submission({ '1': { class_type: 'Magic', inputs: {} } })],
    ['no output', submission({ '4': TEXT_TO_IMAGE['4'] })],
    ['a width between two steps', submission(withInput('5', { width: 513 }))],
    ['a seed that is text', submission(withInput('3', { seed: 'x' }))],
    ['a link to nothing', submission(withInput('8', { samples: ['99', 0] }))],
    [
      'an image that was not stored',
      submission({
        ...IMAGE_TO_IMAGE,
        '10': { class_type: 'LoadImage', inputs: { image: 'x.png' } },
      }),
    ],
  ])('rejects a submission with %s', async (_what, value) => {
    expect((await post('/prompt', value)).status).toBe(400);
    expect(upstream.prompts).toEqual([]);
  });

  it('rejects the id of a known prompt', async () => {
    await post('/prompt', submission());

    expect((await post('/prompt', submission())).status).toBe(400);
  });

  it('lists running and waiting prompts, and removes only waiting prompts', async () => {
    upstream.script('endless', 'succeed');
    const waiting = PROMPT.replace(/2$/, '3');
    await post('/prompt', submission());
    await upstream.until(() => upstream.prompts[0]?.state === 'running');
    await post('/prompt', submission(TEXT_TO_IMAGE, waiting));

    const before = JSON.parse(String(await get('/queue')));
    await post('/queue', { delete: [PROMPT, waiting] });
    const after = JSON.parse(String(await get('/queue')));

    const idsOf = (items: readonly string[][]) => items.map((item) => item[1]);
    expect([before.queue_running, before.queue_pending].map(idsOf)).toEqual([[PROMPT], [waiting]]);
    expect([after.queue_running, after.queue_pending].map(idsOf)).toEqual([[PROMPT], []]);
  });

  it('interrupts only the named prompt', async () => {
    upstream.script('endless');
    await post('/prompt', submission());
    await upstream.until(() => upstream.prompts[0]?.state === 'running');

    await post('/interrupt', { prompt_id: CLIENT });
    const state = upstream.prompts[0]?.state;
    await post('/interrupt', { prompt_id: PROMPT });
    await upstream.until(() => upstream.prompts[0]?.state === 'interrupted');

    expect(state).toBe('running');
  });
});
