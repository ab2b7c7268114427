import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { OUTPUT_FORMATS } from '../../../../lib/contract/request/parameters.ts';
import { alphas, difference } from './pixel-sums.ts';
import { createSandboxRig, type RequestParts } from './sandbox-rig.ts';

const rig = createSandboxRig();
const { draw, pixels, run } = rig;

afterAll(() => rig.close());

const photoSized = { size: '1024x1024' };

describe('sandbox generation', () => {
  it('draws the same pixels for the same prompt, parameters and index', async () => {
    const [first, second] = await Promise.all([draw(), draw()]);

    expect(second.sha256).toBe(first.sha256);
  });

  it.each<[string, RequestParts]>([
    ['prompt', { prompt: 'A lighthouse in the sun' }],
    ['index', { indices: [1] }],
    ['quality', { parameters: { quality: 'high' } }],
    ['negative prompt', { negativePrompt: 'fog' }],
  ])('draws other pixels for another %s', async (_, parts) => {
    const usual = await pixels(await draw());

    const other = await pixels(await draw(parts));

    expect(difference(usual, other)).toBeGreaterThan(0.5);
  });

  it('draws an index the same way, alone or with others', async () => {
    const together = await run({ indices: [2, 3, 5] });

    const alone = await draw({ indices: [5] });

    expect(together.outputs[2]?.bytes.equals(alone.bytes)).toBe(true);
  });

  it.each([
    [16, 16],
    [17, 33],
    [16, 4096],
    [4096, 16],
    [640, 360],
  ])('draws an image of %d×%d', async (width, height) => {
    const image = await draw({ parameters: { size: `${width}x${height}` } });

    expect([image.width, image.height]).toEqual([width, height]);
  });

  it('keeps the largest image within the limits of every decoder', async () => {
    const image = await draw({ parameters: { size: '4096x4096' } });

    expect([image.width, image.height, image.alpha]).toEqual([4096, 4096, 'none']);
  });

  it.each(['tea', 'a red apple', 'hello world'])(
    'makes a file of a photograph’s size of %j',
    async (prompt) => {
      const image = await draw({ prompt, parameters: photoSized });

      expect(image.bytes.length).toBeGreaterThan(1_000_000);
      expect(image.bytes.length).toBeLessThan(3_000_000);
    },
  );

  it.each(OUTPUT_FORMATS)('encodes an image as %s when requested', async (format) => {
    const image = await draw({ parameters: { output_format: format } });

    expect(image.format).toBe(format);
  });

  it('applies the requested compression', async () => {
    const sizes: number[] = [];

    for (const output_compression of [10, 95]) {
      const image = await draw({ parameters: { output_format: 'webp', output_compression } });
      sizes.push(image.bytes.length);
    }

    expect(sizes[0]).toBeLessThan(sizes[1]!);
  });

  it.each(['auto', 'opaque'] as const)(
    'draws no alpha channel with background %s',
    async (background) => {
      const image = await draw({ parameters: { background } });

      expect(image.alpha).toBe('none');
    },
  );

  it.each(['tea', 'a vase', 'bread', 'blue bird'])(
    'draws %j with soft edges on a transparent background',
    async (prompt) => {
      const image = await draw({ prompt, parameters: { background: 'transparent' } });

      const found = alphas(await pixels(image, 4));
      expect(found).toContain(0);
      expect(found).toContain(255);
      expect(found.some((alpha) => alpha > 0 && alpha < 255)).toBe(true);
    },
  );

  it('does not block the main thread while it draws', async () => {
    let otherTurns = 0;
    let isDrawing = true;
    const drawing = run({ parameters: photoSized }).finally(() => {
      isDrawing = false;
    });

    while (isDrawing) {
      await turn();
      otherTurns += 1;
    }

    await drawing;
    expect(otherTurns).toBeGreaterThan(20);
  });

  it('warns that the images come from the sandbox', async () => {
    const { warnings } = await run();

    expect(warnings).toEqual(['sandbox_output']);
  });

  it('reports the same tokens for the same request', async () => {
    const [one, other] = await Promise.all([run(), run()]);

    expect(one.usage).toEqual(other.usage);
    expect(one.usage?.total_tokens).toBe(one.usage!.input_tokens! + one.usage!.output_tokens!);
  });

  it('revises the prompt if the model supports it', async () => {
    const [full, basic] = await Promise.all([
      run(),
      run({ model: 'sandbox-basic', parameters: { size: '1024x1024' } }),
    ]);

    expect(full.outputs[0]?.revisedPrompt).toMatch(/^A lighthouse in a storm .+/);
    expect(basic.outputs[0]?.revisedPrompt).toBeUndefined();
  });
});

describe('sandbox generation on a key colour', () => {
  it.each([
    ['#00ff00', [0, 255, 0]],
    ['#FF00FF', [255, 0, 255]],
    ['#ffffff', [255, 255, 255]],
    ['#101418', [16, 20, 24]],
  ])('draws exactly %s around its subject', async (keyColor, key) => {
    const image = await draw({ model: 'sandbox-basic', keyColor, parameters: { size: '128x128' } });

    const { data } = await pixels(image);
    const corner = [...data.subarray(0, 3)];
    expect(corner).toEqual(key);
    expect(image.alpha).toBe('none');
  });

  it.each(['#00ff00', '#ffffff', '#808080'])(
    'draws no colour near %s inside its subject',
    async (keyColor) => {
      const [keyed, cut] = await Promise.all([
        draw({ keyColor, parameters: { size: '128x128' } }),
        draw({ parameters: { size: '128x128', background: 'transparent' } }),
      ]);
      const key = Number.parseInt(keyColor.slice(1, 3), 16);
      const keyRgb = [key, Number.parseInt(keyColor.slice(3, 5), 16), key];

      const { data } = await pixels(keyed);
      const inside = alphas(await pixels(cut, 4)).flatMap((alpha, at) => (alpha === 255 ? at : []));
      const nearest = Math.min(
        ...inside.map((at) =>
          Math.max(...keyRgb.map((value, channel) => Math.abs(value - data[at * 3 + channel]!))),
        ),
      );
      expect(nearest).toBeGreaterThanOrEqual(96);
    },
  );
});

describe('sandbox previews', () => {
  /** Returns the previews of the first image and the image itself. */
  async function previewed(parts: RequestParts, channels: 3 | 4 = 3) {
    const { events, outputs } = await run(parts);
    const encoded = events.flatMap((event) => (event.type === 'partial_image' ? event.bytes : []));
    const [image, ...previews] = await Promise.all(
      [outputs[0]!.bytes, ...encoded].map(async (bytes) =>
        pixels(await rig.verified(bytes), channels),
      ),
    );
    return { image: image!, previews };
  }

  it.each([
    [256, 128, 3, ['32x16', '64x32', '128x64']],
    [40, 16, 2, ['16x16', '20x16']],
  ])(
    'halve the edges of %d×%d at each of %d stages, down to 16',
    async (width, height, partial_images, sizes) => {
      const { previews } = await previewed({
        parameters: { size: `${width}x${height}`, partial_images },
      });

      expect(previews.map((preview) => `${preview.width}x${preview.height}`)).toEqual(sizes);
    },
  );

  it.each(['opaque', 'transparent'] as const)(
    'are the means of their pixels, weighted by alpha, on a background that is %s',
    async (background) => {
      const parameters = { size: '64x64', partial_images: 1, background } as const;
      const { image, previews } = await previewed({ prompt: 'a vase', parameters }, 4);

      for (let pixel = 0; pixel < 32 * 32; pixel += 1) {
        const corner = (Math.floor(pixel / 32) * 2 * 64 + (pixel % 32) * 2) * 4;
        const starts = [corner, corner + 4, corner + 256, corner + 260];
        const alphas = starts.map((at) => image.data[at + 3]!);
        const alpha = alphas.reduce((sum, value) => sum + value, 0);
        const red = starts.reduce((sum, at, nth) => sum + image.data[at]! * alphas[nth]!, 0);
        expect(previews[0]!.data[pixel * 4 + 3]).toBe(Math.round(alpha / 4));
        if (alpha >= 4) expect(previews[0]!.data[pixel * 4]).toBe(Math.round(red / alpha));
      }
    },
  );
});
