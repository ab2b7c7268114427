import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { ImageEngine, VerifiedImage } from '../../../lib/images/image.ts';
import { createImageEngine } from '../../../lib/images/image-engine.ts';
import { systemClock } from '../../../lib/platform/clock.ts';
import { slices } from '../../support/slices.ts';
import { readPhoto } from './photos.ts';
import { fromPixels, plain } from './sample-images.ts';

const limits = {
  max_encoded_bytes: 32 * 1024 * 1024,
  max_edge: 16_384,
  max_pixels: 64 * 1024 * 1024,
  max_decode_ms: 10_000,
};

const matte = {
  keyColor: '#00FF00',
  transparentThreshold: 12,
  opaqueThreshold: 96,
  despill: true,
} as const;

const never = new AbortController().signal;
const bytes = readPhoto('coffee.png');
const newEngine = () => createImageEngine({ limits, clock: systemClock, slices });

const OPERATIONS = [
  'inspect',
  'check',
  'decode',
  'encode',
  'convert',
  'cutOut',
  'drawOnCanvas',
  'cropOrExtend',
  'drawAreaMask',
  'drawMask',
  'composite',
] as const;
const open = await fromPixels(plain(600, 400, [0, 0, 0, 0]))
  .png()
  .toBuffer();
const area = { x: -8, y: 0, width: 608, height: 400 };
const canvas = { width: 608, height: 400, area: { left: 4, top: 0, width: 600, height: 400 } };

function run(engine: ImageEngine, operation: (typeof OPERATIONS)[number], signal: AbortSignal) {
  const image: VerifiedImage = {
    bytes,
    format: 'png',
    width: 600,
    height: 400,
    orientation: 1,
    alpha: 'none',
    sha256: '',
  };
  const mask: VerifiedImage = { ...image, bytes: open, alpha: 'empty' };
  const masked = { source: image, mask, canvas };
  const png = { format: 'png' } as const;
  const starts = {
    inspect: () => engine.inspect(bytes, signal),
    check: () => engine.check(bytes, signal),
    decode: () => engine.decode(image, { channels: 3 }, signal),
    encode: () => engine.encode(plain(8, 8, [1, 2, 3]), png, signal),
    convert: () => engine.convert(image, { format: 'jpeg' }, signal),
    cutOut: () => engine.removeBackground(image, matte, png, signal),
    drawOnCanvas: () => engine.drawOnCanvas(image, canvas, signal),
    cropOrExtend: () => engine.cropOrExtend(image, area, signal),
    drawAreaMask: () => engine.drawAreaMask(image, area, signal),
    drawMask: () => engine.drawMask(mask, canvas, 'alpha', signal),
    composite: () => engine.composite(image, masked, png, signal),
  };
  return starts[operation]();
}

describe('createImageEngine: lifecycle', () => {
  it.each(OPERATIONS)('rejects %s with the reason of an aborted signal', async (operation) => {
    const engine = newEngine();
    const reason = new Error('the client disconnected');

    const work = run(engine, operation, AbortSignal.abort(reason));

    await expect(work).rejects.toBe(reason);
    await engine.close();
  });

  it.each(OPERATIONS)(
    'rejects a running or waiting %s as soon as it is aborted',
    async (operation) => {
      const engine = newEngine();
      const reason = new Error('the client disconnected');
      const controller = new AbortController();
      const works = Array.from({ length: 5 }, () => run(engine, operation, controller.signal));
      const outcomes = Promise.allSettled(works);

      controller.abort(reason);

      expect(await outcomes).toEqual(works.map(() => ({ status: 'rejected', reason })));
      await engine.close();
    },
  );

  it('finishes the work of other callers when one caller aborts', async () => {
    const engine = newEngine();
    const controller = new AbortController();
    const signals = [never, never, controller.signal, never, never];
    const works = Promise.allSettled(signals.map((signal) => engine.inspect(bytes, signal)));

    controller.abort(new Error('the client disconnected'));

    const statuses = (await works).map((work) => work.status);
    expect(statuses).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    await engine.close();
  });

  it.each(OPERATIONS)('rejects %s with overloaded after it was closed', async (operation) => {
    const engine = newEngine();
    await engine.close();

    const work = run(engine, operation, never);

    await expect(work).rejects.toMatchObject({ name: 'BridgeError', code: 'overloaded' });
  });

  it('aborts many operations at once, each of which decodes several images', async () => {
    const engine = newEngine();
    const controller = new AbortController();

    const works = Array.from({ length: 8 }, (_, nth) =>
      run(engine, 'composite', nth % 2 === 0 ? never : controller.signal),
    );
    const ended = Promise.allSettled(works);
    controller.abort(new Error('the client disconnected'));

    const expected = works.map((_, nth) => (nth % 2 === 0 ? 'fulfilled' : 'rejected'));
    expect((await ended).map(({ status }) => status)).toEqual(expected);
    await engine.close();
  });

  it('closes after all started work has ended', async () => {
    const engine = newEngine();
    const ended: string[] = [];
    const works = Array.from({ length: 5 }, () =>
      engine.inspect(bytes, never).then(() => ended.push('work')),
    );

    await engine.close().then(() => ended.push('close'));
    await Promise.all(works);

    expect(ended).toEqual(['work', 'work', 'work', 'work', 'work', 'close']);
  });

  it('accepts one signal for many images', async () => {
    const engine = newEngine();
    const { signal } = new AbortController();
    const warnings: Error[] = [];
    const collect = (warning: Error) => warnings.push(warning);
    process.on('warning', collect);

    await Promise.all(Array.from({ length: 20 }, () => run(engine, 'encode', signal)));
    await setImmediate();
    process.off('warning', collect);

    expect(warnings).toEqual([]);
    await engine.close();
  });

  it('may be closed twice', async () => {
    const engine = newEngine();

    await engine.close();

    await expect(engine.close()).resolves.toBeUndefined();
  });
});
