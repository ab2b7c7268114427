import { describe, expect, test } from 'vitest';
import { createImageWork, type WorkKind } from '../../../lib/images/image-work.ts';

const { signal } = new AbortController();
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** An image of 8 megapixels, and an image with one more row. */
const SMALL = { width: 4096, height: 2048 };
const LARGE = { width: 4096, height: 2049 };

function open() {
  const work = createImageWork();
  const started: string[] = [];
  const ends = new Map<string, () => void>();

  function decode(name: string, kind: WorkKind, image: typeof SMALL): Promise<void> {
    const [scope = ''] = name.split(' ');
    const hold = () =>
      new Promise<void>((resolve) => {
        started.push(name);
        ends.set(name, resolve);
      });
    return work.workOf(scope, kind).underGate(image, hold, signal);
  }

  return {
    started,
    decode,
    async end(name: string) {
      ends.get(name)?.();
      await settled();
    },
  };
}

describe('createImageWork', () => {
  test('large images of one scope leave a slot for the images of other scopes', async () => {
    const { decode, started } = open();
    for (let nth = 0; nth < 16; nth += 1) void decode(`hostile ${nth}`, 'request', LARGE);

    void decode('quiet large', 'request', LARGE);
    await settled();

    expect(started).toEqual(['hostile 0', 'quiet large']);
  });

  test('images of 8 megapixels of one scope may hold both slots', async () => {
    const { decode, started } = open();
    for (let nth = 0; nth < 3; nth += 1) void decode(`one ${nth}`, 'request', SMALL);
    await settled();

    expect(started).toEqual(['one 0', 'one 1']);
  });

  test('a thumbnail does not wait for the images of requests', async () => {
    const { decode, started } = open();
    for (let nth = 0; nth < 16; nth += 1) void decode(`hostile ${nth}`, 'request', SMALL);
    void decode('quiet thumbnail', 'delivery', LARGE);
    await settled();

    expect(started).toEqual(['hostile 0', 'hostile 1', 'quiet thumbnail']);
  });

  test('thumbnails of two scopes take turns, and leave a slot for requests', async () => {
    const { decode, started, end } = open();
    for (let nth = 0; nth < 5; nth += 1) void decode(`hostile ${nth}`, 'delivery', SMALL);
    void decode('quiet thumbnail', 'delivery', SMALL);
    void decode('quiet request', 'request', SMALL);
    await settled();
    const first = [...started];
    await end('hostile 0');
    await end('hostile 1');

    expect(first).toEqual(['hostile 0', 'hostile 1', 'quiet request']);
    expect(started.slice(3)).toEqual(['hostile 2', 'quiet thumbnail']);
  });
});
