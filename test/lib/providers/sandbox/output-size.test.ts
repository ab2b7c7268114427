import { describe, expect, it } from 'vitest';
import { outputSize } from '../../../../lib/providers/sandbox/output-size.ts';

const nothing = { size: 'auto', aspect_ratio: null, resolution: null } as const;

describe('outputSize', () => {
  it.each([
    ['nothing asked', {}, undefined, '1024x1024'],
    ['a size', { size: '640x360' }, undefined, '640x360'],
    ['a size and a source', { size: '640x360' }, [600, 400], '640x360'],
    ['a ratio', { aspect_ratio: '16:9' }, undefined, '1360x765'],
    ['a ratio on its side', { aspect_ratio: '9:16' }, undefined, '765x1360'],
    ['a resolution', { resolution: '2k' }, undefined, '2048x2048'],
    ['both hints', { aspect_ratio: '3:2', resolution: '2k' }, undefined, '2508x1672'],
    [
      'a ratio whose edge would be too long',
      { aspect_ratio: '16:9', resolution: '4k' },
      undefined,
      '4096x2304',
    ],
    ['a ratio beyond all edges', { aspect_ratio: '90000:1' }, undefined, '4096x16'],
    ['a ratio of large numbers', { aspect_ratio: '1001:999' }, undefined, '1025x1023'],
    ['a source', {}, [600, 400], '600x400'],
    ['a long source', {}, [4000, 3000], '1024x768'],
    ['a tiny source', {}, [8, 5], '16x16'],
    ['a strip', {}, [5000, 20], '1024x16'],
    ['a source and a ratio', { aspect_ratio: '1:1' }, [600, 400], '490x490'],
    ['a source and a resolution', { resolution: '2k' }, [600, 400], '2508x1672'],
  ] as const)('derives the dimensions from %s', (_, parameters, source, expected) => {
    const edges = source && { width: source[0], height: source[1] };

    const { width, height } = outputSize({ ...nothing, ...parameters }, edges);

    expect(`${width}x${height}`).toBe(expected);
  });

  it.each([
    [[4000, 3000], '4000x3000'],
    [[8000, 6000], '4096x3072'],
  ] as const)(
    'keeps the size of the source %j of a masked edit as far as the sandbox can',
    (source, expected) => {
      const edges = { width: source[0], height: source[1] };

      const { width, height } = outputSize(nothing, edges, true);

      expect(`${width}x${height}`).toBe(expected);
    },
  );
});
