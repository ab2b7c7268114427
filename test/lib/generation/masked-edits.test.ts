import fc from 'fast-check';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import { replyWith } from '../../support/scripted-provider.ts';
import { turned } from '../images/sample-images.ts';
import { type GenerationRig, openGenerationRig } from './generation-rig.ts';
import { inlineBytes } from './inline-bytes.ts';
import { DRAWN, flat, hinted, maskOf, noise, repaint, samplesOf } from './masked-images.ts';
import { inlineImage, requestOf } from './requests.ts';

let rig: GenerationRig;

beforeAll(async () => {
  rig = await openGenerationRig({ maskForm: 'alpha', reply: repaint }, hinted);
});
afterAll(() => rig.close());

describe('an edit with an emulated mask', () => {
  it('keeps every sample of the source outside the mask', async () => {
    const edge = fc.integer({ min: 1, max: 90 });
    const cases = fc.record({
      seed: fc.nat(),
      width: edge,
      height: edge,
      orientation: fc.integer({ min: 1, max: 8 }),
      channels: fc.constantFrom(3, 4),
      format: fc.constantFrom('png', 'webp'),
    });
    const property = fc.asyncProperty(cases, async ({ seed, orientation, format, ...raw }) => {
      const plain = await sharp(noise(seed, raw.width * raw.height * raw.channels), {
        raw: { ...raw, channels: raw.channels === 4 ? 4 : 3 },
      })
        .png()
        .toBuffer();
      const source = turned(plain, 'png', orientation);
      const was = await samplesOf(source);
      const alphas = noise(seed + 1, was.width * was.height).map((it) =>
        it < 128 ? 255 : it - 128,
      );
      // A mask that allows no change is refused.
      alphas[0] = 0;
      const mask = await maskOf(was, (at) => alphas[at] ?? 255);
      const sent = { parameters: { output_format: format } };

      const { image } = await editOf(source, mask, sent);

      const is = await samplesOf(image);
      expect([is.width, is.height]).toEqual([was.width, was.height]);
      for (const [at, alpha] of alphas.entries()) {
        const [before, after] = [was, is].map(({ data }) => data.subarray(at * 4, at * 4 + 4));
        if (alpha === 255) expect(after).toEqual(before);
      }
    });

    await fc.assert(property, { numRuns: 25 });
  });

  it('shows the image of the provider inside the mask', async () => {
    const source = await flat(48, 32, '#102030');
    const mask = await maskOf({ width: 48, height: 32 }, (at) => (at % 48 < 24 ? 0 : 255));

    const { image } = await editOf(source, mask);

    const { data } = await samplesOf(image);
    expect([...data.subarray(0, 4)]).toEqual(DRAWN);
    expect([...data.subarray(-4)]).toEqual([0x10, 0x20, 0x30, 255]);
  });

  it('sends PNGs of a size that the model supports', async () => {
    const source = await flat(45, 30, '#102030', 'jpeg');
    const mask = await maskOf({ width: 45, height: 30 }, () => 0);

    const { request } = await editOf(source, mask);

    expect(request.parameters).toMatchObject({ size: '48x32', output_format: 'png' });
    const png = { mediaType: 'image/png', width: 48, height: 32, orientation: 1 };
    expect([request.images[0], request.mask]).toMatchObject([png, png]);
    expect(request).not.toHaveProperty('maskImage');
  });

  it('sends the other images unchanged', async () => {
    const source = await flat(48, 32, '#102030');
    const other = await flat(20, 20, '#405060', 'jpeg');
    const mask = await maskOf({ width: 48, height: 32 }, () => 0);

    const { request } = await editOf(source, mask, {
      images: [inlineImage(source), inlineImage(other)],
      reference_images: [inlineImage(other)],
    });

    expect([request.images[1]?.bytes, request.references[0]?.bytes]).toEqual([other, other]);
  });

  it('reports the emulation, and the size of the source', async () => {
    const source = await flat(48, 32, '#102030');
    const mask = await maskOf({ width: 48, height: 32 }, () => 0);
    const sent = {
      parameters: { size: '64x64', output_format: 'jpeg' },
      policies: { compatibility: 'normalize' },
    };

    const { response } = await editOf(source, mask, sent);

    expect(response.effective).toMatchObject({ size: '48x32', output_format: 'jpeg' });
    expect(response.normalizations.map(({ field }) => field)).toEqual(['mask', 'parameters.size']);
    expect(response.delivered).toEqual([
      { index: 0, size: 'changed', format: 'honoured', alpha: 'unspecified' },
    ]);
    expect(response.warnings).toEqual([
      'output_size_differs',
      'output_format_converted',
      'mask_exact_before_encoding',
    ]);
  });

  it('restores the source in partial images', async () => {
    const source = await flat(48, 32, '#102030');
    const mask = await maskOf({ width: 48, height: 32 }, (at) => (at % 48 < 24 ? 0 : 255));
    const sent = editRequest(source, mask, { parameters: { partial_images: 2 } });
    const running = rig.run(requestOf(sent), rig.newContext());

    const shown: number[][] = [];
    for await (const event of running.events) {
      if (event.type !== 'partial_image') continue;
      const { data, width } = await samplesOf(event.image.bytes);
      shown.push([width, ...data.subarray(0, 4)], [...data.subarray(-4)]);
    }

    await running.result;
    expect(shown).toEqual([
      [48, ...DRAWN],
      [0x10, 0x20, 0x30, 255],
    ]);
  });

  it.each([
    ['closes everything', 255, {}, { code: 'input', param: 'mask' }],
    [
      'cannot go with the size',
      0,
      { parameters: { size: '64x64' } },
      { code: 'unsupported_capability', param: 'parameters.size' },
    ],
  ])('is refused before any call if its mask %s', async (_, alpha, sent, expected) => {
    const source = await flat(48, 32, '#102030');
    const mask = await maskOf({ width: 48, height: 32 }, () => alpha);
    const before = rig.provider.calls.length;

    const refused = editOf(source, mask, sent);

    await expect(refused).rejects.toMatchObject(expected);
    expect(rig.provider.calls).toHaveLength(before);
  });

  it('fails if the provider returns another aspect ratio', async () => {
    const wide = await openGenerationRig(
      { reply: replyWith(await flat(70, 64, '#000000')) },
      hinted,
    );
    const source = await flat(64, 64, '#102030');
    const sent = editRequest(source, await maskOf({ width: 64, height: 64 }, () => 0));

    const failed = wide.run(requestOf(sent), wide.newContext()).result;

    await expect(failed).rejects.toMatchObject({
      code: 'protocol',
      details: { reason: 'ratio_differs' },
    });
    await wide.close();
  });

  it('accepts an image of nearly the same aspect ratio, in any size', async () => {
    const nearly = await openGenerationRig(
      { reply: replyWith(await flat(131, 128, '#000000')) },
      hinted,
    );
    const source = await flat(64, 64, '#102030');
    const sent = editRequest(source, await maskOf({ width: 64, height: 64 }, () => 0));

    const { response } = await nearly.run(requestOf(sent), nearly.newContext()).result;

    expect(response.data[0]).toMatchObject({ width: 64, height: 64 });
    await nearly.close();
  });

  it('reports its own limits if the image becomes too large for the model', async () => {
    const edit_images = { ...hinted.edit_images, max_bytes_each: 3000 };
    const narrow = await openGenerationRig({}, { ...hinted, edit_images });
    const source = await sharp(noise(1, 64 * 64 * 3), {
      raw: { width: 64, height: 64, channels: 3 },
    })
      .jpeg({ quality: 40 })
      .toBuffer();
    const sent = editRequest(source, await maskOf({ width: 64, height: 64 }, () => 0));

    const refused = narrow.run(requestOf(sent), narrow.newContext()).result;

    await expect(refused).rejects.toMatchObject({
      code: 'unsupported_capability',
      param: 'images',
      details: { reason: 'too_many_bytes' },
    });
    expect(narrow.provider.calls).toEqual([]);
    await narrow.close();
  });

  it('is refused before any call if the result would be too large', async () => {
    const large = await openGenerationRig({}, hinted);
    const edge = { width: 640, height: 640 };
    const raw = { ...edge, channels: 3 } as const;
    // A small JPEG whose PNG is larger than the limit of the rig, 1 MiB.
    const source = await sharp(noise(1, 640 * 640 * 3), { raw })
      .jpeg({ quality: 60 })
      .toBuffer();
    const sent = editRequest(source, await maskOf(edge, () => 0));

    const refused = large.run(requestOf(sent), large.newContext()).result;

    await expect(refused).rejects.toMatchObject({
      code: 'unsupported_capability',
      param: 'images',
      details: { reason: 'too_many_bytes' },
    });
    expect(large.provider.calls).toEqual([]);
    await large.close();
  });

  it('sends the mask as one more image to a model that reads no masks', async () => {
    const blind = await openGenerationRig({ reply: repaint }, hinted);
    const source = await flat(48, 32, '#102030');
    const mask = await maskOf({ width: 48, height: 32 }, (at) => (at % 48 < 24 ? 100 : 255));
    const sent = editRequest(source, mask);

    const { response } = await blind.run(requestOf(sent), blind.newContext()).result;

    const { request } = await blind.provider.call(0);
    expect(request).not.toHaveProperty('mask');
    const { data } = await samplesOf(request.maskImage?.bytes ?? Buffer.alloc(0));
    expect([...data.subarray(0, 4), ...data.subarray(-4)]).toEqual([
      ...[255, 255, 255, 255],
      ...[0, 0, 0, 255],
    ]);
    expect(response.warnings).toEqual(['mask_not_native']);
    await blind.close();
  });

  it('ends with the reason of the signal if the client disconnects while the mask is drawn', async () => {
    const context = rig.newContext();
    const source = await flat(48, 32, '#102030');
    const sent = editRequest(source, await maskOf({ width: 48, height: 32 }, () => 0));
    const running = rig.run(requestOf(sent), context);

    context.disconnect(new BridgeError('cancelled', 'the client has disconnected'));

    await expect(running.result).rejects.toMatchObject({ code: 'cancelled' });
  });
});

function editRequest(source: Buffer, mask: Buffer, sent: object = {}): object {
  return {
    operation: 'edit',
    images: [inlineImage(source)],
    mask: inlineImage(mask),
    ...sent,
  };
}

async function editOf(source: Buffer, mask: Buffer, sent: object = {}) {
  const nth = rig.provider.calls.length;
  const running = rig.run(requestOf(editRequest(source, mask, sent)), rig.newContext());
  const { response } = await running.result;
  const { request } = await rig.provider.call(nth);
  const [data] = response.data;
  return { response, request, image: inlineBytes(data) };
}
