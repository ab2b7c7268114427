import { describe, expect, it } from 'vitest';
import { previewsOf } from '../../../../../lib/providers/sandbox/drawing/previews.ts';

function image(width: number, height: number, pixel: (at: number) => readonly number[]) {
  const bytes = Uint8Array.from(
    Array.from({ length: width * height }, (_, at) => pixel(at)).flat(),
  );
  const channels = bytes.length === width * height * 4 ? 4 : 3;
  return { data: bytes.buffer, width, height, channels } as const;
}

describe('previewsOf', () => {
  it('halves the dimensions from stage to stage, up to half the image', () => {
    const previews = previewsOf(
      image(256, 128, () => [1, 2, 3]),
      3,
    );

    expect(previews.map(({ width, height }) => `${width}x${height}`)).toEqual([
      '32x16',
      '64x32',
      '128x64',
    ]);
  });

  it('never makes an edge shorter than the minimum', () => {
    const previews = previewsOf(
      image(40, 16, () => [1, 2, 3]),
      2,
    );

    expect(previews.map(({ width, height }) => `${width}x${height}`)).toEqual(['16x16', '20x16']);
  });

  it('averages the pixels that it combines', () => {
    const [preview] = previewsOf(
      image(32, 32, (at) => (at % 2 === 0 ? [0, 100, 200] : [100, 100, 0])),
      1,
    );

    expect([...new Uint8Array(preview!.data).subarray(0, 3)]).toEqual([50, 100, 100]);
  });

  it('ignores the colour of transparent pixels', () => {
    const [preview] = previewsOf(
      image(32, 32, (at) => (at % 2 === 0 ? [200, 200, 200, 255] : [0, 0, 0, 0])),
      1,
    );

    expect([...new Uint8Array(preview!.data).subarray(0, 4)]).toEqual([200, 200, 200, 128]);
  });
});
