import { describe, expect, it } from 'vitest';
import type { ArtifactRecord } from '../../../lib/artifacts/artifact-store-port.ts';
import type { CanvasArea, PlanInput } from '../../../lib/contract/request/image-input.ts';
import { createInputForecast } from '../../../lib/inputs/input-forecast.ts';

const DEPS = {
  artifacts: { find: async () => undefined },
  limits: { max_bytes_each: 100, max_bytes_total: 150 },
  imageLimits: { max_encoded_bytes: 90, max_edge: 50, max_pixels: 1000 },
};
const forecast = createInputForecast(DEPS);

function described(changes: object = {}): PlanInput {
  return { type: 'described', format: 'png', width: 20, height: 30, bytes: 60, ...changes };
}

async function measure(images: readonly PlanInput[], mask: PlanInput | null = null) {
  return forecast.measure(forecast.toSources({ images, mask, reference_images: [] }), 'anonymous');
}

describe('createInputForecast', () => {
  it('returns the length of described and inline images, the dimensions of described images, and nothing else', async () => {
    const images: PlanInput[] = [
      described(),
      { type: 'base64', data: 'AAAAAA==' },
      { type: 'data_url', data_url: 'data:image/png;base64,AAAA' },
      { type: 'url', url: 'https://images.example/a.png' },
    ];

    expect((await measure(images)).images).toEqual([
      { byteLength: 60, upright: { width: 20, height: 30 } },
      { byteLength: 4 },
      { byteLength: 3 },
      { byteLength: 0 },
    ]);
  });

  it.each<[string, PlanInput, string]>([
    ['longer than an input may be', described({ bytes: 101 }), 'too_many_bytes'],
    ['longer than an image may be', described({ bytes: 91 }), 'too_many_bytes'],
    ['too long on one edge', described({ width: 51 }), 'edge_too_long'],
    ['too large', described({ width: 34 }), 'too_many_pixels'],
    ['of another type than declared', mislabelled(), 'media_type_mismatch'],
    ['no data URL', { type: 'data_url', data_url: 'data:image/gif;base64,AAAA' }, 'not_a_data_url'],
  ])('rejects an image that is %s', async (_, image, reason) => {
    const refused = (async () => measure([described({ bytes: 1 }), image]))();

    await expect(refused).rejects.toMatchObject({
      code: 'input',
      param: 'images[1]',
      details: { reason },
    });
  });

  it('measures a canvas instead of its image, and the mask of its part beyond the image', async () => {
    const canvas = { x: -5, y: 0, width: 25, height: 30 };

    const facts = await measure([described({ canvas })]);
    const cropped = await measure([described({ canvas: { ...canvas, x: 0, width: 20 } })]);

    const upright = { width: 25, height: 30 };
    expect(facts.images).toEqual([{ byteLength: 60, upright }]);
    expect(facts.mask).toEqual({ byteLength: 0, upright, alpha: 'some' });
    expect(cropped).not.toHaveProperty('mask');
  });

  it('expects the mask of an artifact whose canvas is beyond the image in both orientations', async () => {
    const record = { bytes: 60, format: 'png', width: 20, height: 30 } as ArtifactRecord;
    const ofArtifact = createInputForecast({ ...DEPS, artifacts: { find: async () => record } });
    const measured = async (canvas: CanvasArea) => {
      const image = { type: 'artifact', artifact_id: 'a', canvas } as const;
      const sources = ofArtifact.toSources({ images: [image], mask: null, reference_images: [] });
      return ofArtifact.measure(sources, 'anonymous');
    };

    const extended = await measured({ x: -5, y: 0, width: 25, height: 30 });
    const perhaps = await measured({ x: 0, y: 0, width: 25, height: 20 });

    const upright = { width: 25, height: 30 };
    expect(extended).toMatchObject({ images: [{ upright }], mask: { upright, alpha: 'some' } });
    expect(perhaps).not.toHaveProperty('mask');
  });

  it.each([
    [{ x: 20, y: 0, width: 9, height: 9 }, 'canvas_outside_image'],
    [{ x: 0, y: 0, width: 40, height: 40 }, 'too_many_pixels'],
    [{ x: 0, y: 0, width: 51, height: 9 }, 'edge_too_long'],
  ])('rejects the canvas %j', async (canvas, reason) => {
    await expect(measure([described({ canvas })])).rejects.toMatchObject({
      param: 'images[0]',
      details: { field: 'images[0].canvas', reason },
    });
  });

  it('rejects the first image that exceeds the total', async () => {
    const refused = measure([described(), described(), described()]);

    await expect(refused).rejects.toMatchObject({ param: 'images[2]' });
  });

  it.each<[string, PlanInput, string]>([
    ['a JPEG', described({ format: 'jpeg' }), 'no_alpha_channel'],
    ['of other edges', described({ width: 19 }), 'dimensions_differ'],
  ])('rejects a mask that is %s', async (_, mask, reason) => {
    await expect(measure([described()], mask)).rejects.toMatchObject({
      param: 'mask',
      details: { reason },
    });
  });

  it('does not compare a mask with an image of unknown dimensions', async () => {
    const unknown: PlanInput = { type: 'base64', data: 'AAAA' };

    expect(await measure([unknown], described())).toMatchObject({ mask: { byteLength: 60 } });
  });
});

function mislabelled(): PlanInput {
  const data_url = 'data:image/png;base64,AAAA';
  return { type: 'data_url', data_url, media_type: 'image/webp' };
}
