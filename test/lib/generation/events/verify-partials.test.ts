import { describe, expect, it } from 'vitest';
import type {
  GenerationEvent,
  VerifiedEvent,
} from '../../../../lib/generation/events/generation-event.ts';
import { createVerifyPartials } from '../../../../lib/generation/events/verify-partials.ts';
import type { ImageEngine } from '../../../../lib/images/image.ts';
import { image, openEngine } from '../images.ts';

const queued: GenerationEvent = { type: 'progress', stage: 'queued' };
const publishing: GenerationEvent = { type: 'progress', stage: 'publishing' };
const partial = (bytes: Buffer): GenerationEvent => ({
  type: 'partial_image',
  index: 2,
  partialIndex: 1,
  bytes,
});
const signal = new AbortController().signal;

async function verify(
  engine: Pick<ImageEngine, 'inspect' | 'composite'>,
  events: readonly GenerationEvent[],
): Promise<VerifiedEvent[]> {
  const read: VerifiedEvent[] = [];
  async function* given() {
    yield* events;
  }
  for await (const event of createVerifyPartials({ engine })(given(), signal)) read.push(event);
  return read;
}

describe('createVerifyPartials', () => {
  it('describes a valid image by its bytes', async () => {
    const engine = openEngine();
    const bytes = await image({ format: 'webp', width: 40, height: 30 });

    const read = await verify(engine, [queued, partial(bytes), publishing]);

    expect(read).toMatchObject([
      queued,
      {
        type: 'partial_image',
        index: 2,
        partialIndex: 1,
        image: { bytes, format: 'webp', width: 40, height: 30 },
      },
      publishing,
    ]);
    await engine.close();
  });

  it.each<[string, (bytes: Buffer) => Buffer]>([
    ['is cut off', (bytes) => bytes.subarray(0, -1)],
    ['has bytes after its end', (bytes) => Buffer.concat([bytes, Buffer.alloc(1)])],
    ['is empty', () => Buffer.alloc(0)],
    ['is another kind of file', () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    [
      'has a flipped bit',
      (bytes) => Buffer.from(bytes.map((byte, at) => byte ^ (at === 60 ? 1 : 0))),
    ],
  ])('drops an image that %s', async (_, spoil) => {
    const engine = openEngine();

    const read = await verify(engine, [queued, partial(spoil(await image())), publishing]);

    expect(read).toEqual([queued, publishing]);
    await engine.close();
  });

  it('skips what cannot be verified any more, and continues', async () => {
    const engine = openEngine();
    await engine.close();

    const read = await verify(engine, [partial(await image()), publishing]);

    expect(read).toEqual([publishing]);
  });

  it('looks at no image before it is asked for', async () => {
    let inspected = 0;
    const engine = openEngine();
    const counting: Pick<ImageEngine, 'inspect' | 'composite'> = {
      composite: engine.composite,
      inspect(...given) {
        inspected += 1;
        return engine.inspect(...given);
      },
    };
    const bytes = await image();
    async function* given() {
      yield* [partial(bytes), partial(bytes)];
    }

    const events = createVerifyPartials({ engine: counting })(given(), signal);
    await events.next();

    expect(inspected).toBe(1);
    await engine.close();
  });
});
