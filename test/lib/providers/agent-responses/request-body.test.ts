import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../../lib/platform/clock.ts';
import { createIds } from '../../../../lib/platform/ids.ts';
import { toRequestBody } from '../../../../lib/providers/agent-responses/request-body.ts';
import { createJsonBodies } from '../../../../lib/providers/http/json-body.ts';
import type { ProviderRequest } from '../../../../lib/providers/provider-port.ts';
import { slices } from '../../../support/slices.ts';
import { readPhoto } from '../../images/photos.ts';
import { agentRequest, inputOf, type RequestParts } from './requests.ts';

const INSTRUCTIONS =
  'Make exactly one image with the image generation tool, from the description and the images given. Answer with nothing else.';

interface Body {
  readonly input: readonly {
    readonly content: readonly { readonly text?: string; readonly image_url?: string }[];
  }[];
  readonly tools: readonly object[];
}

const toJsonBody = createJsonBodies({
  ids: createIds(systemClock.nowMs),
  slices,
});

async function written(request: ProviderRequest): Promise<Body> {
  const { byteLength, chunks } = toRequestBody(request, 'gpt-5.5', toJsonBody);
  const bytes = await buffer(chunks(new AbortController().signal));
  expect(bytes.length).toBe(byteLength);
  return JSON.parse(bytes.toString('utf8'));
}

const contentOf = async (parts: RequestParts) =>
  (await written(agentRequest(parts))).input[0]?.content ?? [];
const toolOf = async (parts: RequestParts) => (await written(agentRequest(parts))).tools[0];
const textOf = async (parts: RequestParts) => (await contentOf(parts))[0]?.text;

describe('toRequestBody', async () => {
  it('writes a generation with the defaults of the backend', async () => {
    const body = await written(agentRequest());

    expect(body).toEqual({
      model: 'gpt-5.5',
      instructions: INSTRUCTIONS,
      input: [
        {
          type: 'message',
          role: 'user',
          content: [{ type: 'input_text', text: 'A lighthouse in a storm' }],
        },
      ],
      tools: [{ type: 'image_generation', model: 'gpt-image-2', output_format: 'png' }],
      tool_choice: { type: 'image_generation' },
      stream: true,
      store: false,
    });
  });

  it('writes an edit with its sources before its references and names them in the prompt', async () => {
    const [source, other, reference] = [Buffer.from('one'), Buffer.from('two!'), Buffer.from('3')];

    const content = await contentOf({
      images: [inputOf(source), inputOf(other, 'image/jpeg')],
      references: [inputOf(reference, 'image/webp')],
    });

    expect(content).toEqual([
      {
        type: 'input_text',
        text: 'A lighthouse in a storm\n\nImages 1 to 2 are to be edited. Image 3 is for reference only.',
      },
      { type: 'input_image', image_url: 'data:image/png;base64,b25l', detail: 'auto' },
      { type: 'input_image', image_url: 'data:image/jpeg;base64,dHdvIQ==', detail: 'auto' },
      { type: 'input_image', image_url: 'data:image/webp;base64,Mw==', detail: 'auto' },
    ]);
  });

  it('sends a mask image after the sources and names it in the prompt', async () => {
    const content = await contentOf({
      images: [inputOf(Buffer.from('one'))],
      maskImage: inputOf(Buffer.from('mask')),
      references: [inputOf(Buffer.from('3'))],
    });

    expect(content.map(({ text, image_url }) => text ?? image_url)).toEqual([
      'A lighthouse in a storm\n\nImage 1 is to be edited. Image 2 is a mask: image 1 may change only where image 2 is white. Image 3 is for reference only.',
      'data:image/png;base64,b25l',
      'data:image/png;base64,bWFzaw==',
      'data:image/png;base64,Mw==',
    ]);
  });

  it.each<[counts: { images?: number; references?: number }, note: string]>([
    [{ images: 1 }, 'Image 1 is to be edited.'],
    [{ images: 3 }, 'Images 1 to 3 are to be edited.'],
    [{ references: 1 }, 'Image 1 is for reference only.'],
    [{ references: 2 }, 'Images 1 to 2 are for reference only.'],
    [
      { images: 2, references: 3 },
      'Images 1 to 2 are to be edited. Images 3 to 5 are for reference only.',
    ],
  ])('names the images of %o in the prompt', async ({ images = 0, references = 0 }, note) => {
    const many = (count: number) => Array.from({ length: count }, () => inputOf(Buffer.from('x')));

    const text = await textOf({ images: many(images), references: many(references) });

    expect(text).toBe(`A lighthouse in a storm\n\n${note}`);
  });

  it.each([
    [{ size: '1536x1024' }, { size: '1536x1024' }],
    [{ quality: 'high' }, { quality: 'high' }],
    [{ output_format: 'webp' }, { output_format: 'webp' }],
    [
      { output_format: 'jpeg', output_compression: 0 },
      { output_format: 'jpeg', output_compression: 0 },
    ],
    [{ background: 'opaque' }, { background: 'opaque' }],
    [{ background: 'transparent' }, { background: 'transparent' }],
    [{ moderation: 'low' }, { moderation: 'low' }],
    [{ partial_images: 3 }, { partial_images: 3 }],
    [{ action: 'edit' }, { action: 'edit' }],
    [{ input_fidelity: 'high' }, { input_fidelity: 'high' }],
    [{ aspect_ratio: '16:9', resolution: '2k', n: 1, failure_policy: 'best_effort' }, {}],
  ] as const)('sends %o as %o', async (parameters, sent) => {
    expect(await toolOf({ parameters })).toEqual({
      type: 'image_generation',
      model: 'gpt-image-2',
      output_format: 'png',
      ...sent,
    });
  });

  it('requests the flat background that is cut out afterwards', async () => {
    const parts: RequestParts = { keyColor: '#00FF00', parameters: { background: 'opaque' } };

    expect(await textOf(parts)).toBe(
      'A lighthouse in a storm\n\nEverything around the subject is one flat colour, exactly #00FF00, without shadows, gradients, texture or reflections; nothing of the subject has that colour.',
    );
    expect(await toolOf(parts)).toMatchObject({ background: 'opaque' });
  });

  it('sends photographs byte for byte', async () => {
    const photo = readPhoto('rocket.jpg');

    const [, image] = await contentOf({ images: [inputOf(photo, 'image/jpeg')] });

    const [head, base64 = ''] = image?.image_url?.split(',') ?? [];
    expect(head).toBe('data:image/jpeg;base64');
    expect(Buffer.from(base64, 'base64').equals(photo)).toBe(true);
  });

  it.each([
    ['quotes and backslashes', '"\\" \\u0041 \\'],
    ['line ends and control characters', 'a\r\nb\tc\u0001\u2028\u2029'],
    ['letters of every plane', 'ü 漢字 👩‍🚀'],
    ['a data URL', 'data:image/png;base64,AAAA'],
    ['what ends the JSON', '"}]}],"tools":[]}'],
  ])('keeps a prompt of %s unchanged', async (_name, prompt) => {
    const content = await contentOf({ prompt, references: [inputOf(Buffer.from('x'))] });

    expect(content[0]?.text).toBe(`${prompt}\n\nImage 1 is for reference only.`);
    expect(content[1]?.image_url).toBe('data:image/png;base64,eA==');
  });
});
