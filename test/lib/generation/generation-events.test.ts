import { describe, expect, it } from 'vitest';
import {
  createEventQueue,
  createVerifyPartials,
  type GenerationEvent,
  limitPartials,
  type VerifiedEvent,
} from '../../../lib/generation/generation-events.ts';
import type { ImageEngine } from '../../../lib/images/image.ts';
import { image, openEngine } from './images.ts';

const MIB = 1024 * 1024;

describe('createEventQueue', () => {
  it('passes events on in their order, then ends', async () => {
    const queue = createEventQueue();
    const events = [stage('preparing'), partial(0, 0), stage('verifying', 0), stage('publishing')];

    for (const event of events) queue.push(event);
    queue.end();

    expect(await readAll(queue.events)).toEqual(events);
  });

  it('wakes a waiting reader', async () => {
    const queue = createEventQueue();
    const reading = readAll(queue.events);

    for (const index of [0, 1, 2]) {
      await turn();
      queue.push(stage('verifying', index));
    }
    queue.end();

    expect(await reading).toEqual([0, 1, 2].map((index) => stage('verifying', index)));
  });

  it('ends a waiting reader', async () => {
    const queue = createEventQueue();
    const reading = readAll(queue.events);

    await turn();
    queue.end();

    expect(await reading).toEqual([]);
  });

  it('ignores events after its end', async () => {
    const queue = createEventQueue();

    queue.push(stage('preparing'));
    queue.end();
    queue.push(stage('publishing'));

    expect(await readAll(queue.events)).toEqual([stage('preparing')]);
  });

  it('discards all events once `discard` was called', async () => {
    const queue = createEventQueue();
    queue.push(partial(0, 0));

    queue.discard();
    queue.push(partial(0, 1));

    expect(await readAll(queue.events)).toEqual([]);
  });

  it('ends a waiting reader when `discard` is called', async () => {
    const queue = createEventQueue();
    const reading = readAll(queue.events);
    await turn();

    queue.discard();

    expect(await reading).toEqual([]);
  });

  it('keeps at most 64 events, among them the newest partial image of each output', async () => {
    const queue = createEventQueue();

    for (let partialIndex = 0; partialIndex < 3; partialIndex += 1) {
      for (let index = 0; index < 60; index += 1) queue.push(partial(index, partialIndex));
    }
    queue.end();
    const read = await readAll(queue.events);

    expect(read).toHaveLength(64);
    const newest = read.filter((event) => 'partialIndex' in event && event.partialIndex === 2);
    expect(newest).toHaveLength(60);
  });

  it('drops the oldest events if no event supersedes another', async () => {
    const queue = createEventQueue();

    for (let index = 0; index < 100; index += 1) queue.push(stage('verifying', index));
    queue.end();

    const read = await readAll(queue.events);
    expect(read.map(({ index }) => index)).toEqual(Array.from({ length: 64 }, (_, i) => i + 36));
  });

  it('keeps at most 32 MiB of partial images, and always the newest', async () => {
    const queue = createEventQueue();

    for (let index = 0; index < 5; index += 1) queue.push(partial(index, 0, 10 * MIB));
    queue.push(partial(5, 0, 40 * MIB));
    queue.end();

    expect((await readAll(queue.events)).map(({ index }) => index)).toEqual([5]);
  });

  it('drops a superseded partial image before any other', async () => {
    const queue = createEventQueue();

    for (const [index, partialIndex] of [
      [0, 0],
      [1, 0],
      [1, 1],
      [2, 0],
    ] as const) {
      queue.push(partial(index, partialIndex, 10 * MIB));
    }
    queue.end();

    const read = await readAll(queue.events);
    expect(
      read.map((event) => 'partialIndex' in event && [event.index, event.partialIndex]),
    ).toEqual([
      [0, 0],
      [1, 1],
      [2, 0],
    ]);
  });
});

function stage(name: 'preparing' | 'verifying' | 'publishing', index?: number): GenerationEvent {
  return { type: 'progress', stage: name, ...(index === undefined ? {} : { index }) };
}

function partial(index: number, partialIndex: number, length = 1): GenerationEvent {
  return { type: 'partial_image', index, partialIndex, bytes: Buffer.alloc(length) };
}

async function readAll(events: AsyncIterable<GenerationEvent>): Promise<GenerationEvent[]> {
  const read: GenerationEvent[] = [];
  for await (const event of events) read.push(event);
  return read;
}

function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

const generating: GenerationEvent = { type: 'progress', stage: 'generating', index: 0 };

function passed(asked: number, events: readonly GenerationEvent[]): GenerationEvent[] {
  const passed: GenerationEvent[] = [];
  const onEvent = limitPartials(asked, (event) => passed.push(event));
  for (const event of events) onEvent(event);
  return passed;
}

describe('limitPartials', () => {
  it('passes on the requested number of partial images for each output', () => {
    const events = [partial(0, 0), partial(1, 0), partial(0, 1), partial(0, 2), partial(1, 1)];

    expect(passed(2, events)).toEqual([
      ...[partial(0, 0), partial(1, 0), partial(0, 1), partial(1, 1)],
    ]);
  });

  it('adds the source and the mask to each partial image, and to no other event', () => {
    const edges = { width: 1, height: 1 };
    const pixel = { ...edges, bytes: Buffer.alloc(1), format: 'png', orientation: 1 } as const;
    const source = { ...pixel, alpha: 'some', sha256: '' } as const;
    const canvas = { ...edges, area: { left: 0, top: 0, ...edges } };
    const masked = { source, mask: source, canvas };
    const passed: GenerationEvent[] = [];

    const onEvent = limitPartials(1, (event) => passed.push(event), masked);
    onEvent(generating);
    onEvent(partial(0, 0));

    expect(passed).toEqual([generating, { ...partial(0, 0), masked }]);
  });

  it('counts a partial image twice if it is sent twice', () => {
    expect(passed(1, [partial(0, 0), partial(0, 0)])).toEqual([partial(0, 0)]);
  });

  it('passes on no partial image if none was requested, but every progress event', () => {
    expect(passed(0, [generating, partial(0, 0), generating])).toEqual([generating, generating]);
  });
});

const queued: GenerationEvent = { type: 'progress', stage: 'queued' };
const publishing: GenerationEvent = { type: 'progress', stage: 'publishing' };
const partialOf = (bytes: Buffer): GenerationEvent => ({
  type: 'partial_image',
  index: 2,
  partialIndex: 1,
  bytes,
});
const signal = new AbortController().signal;

async function verify(
  engine: Pick<ImageEngine, 'check' | 'composite'>,
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
  it('describes a valid partial image by its bytes', async () => {
    const engine = openEngine();
    const bytes = await image({ format: 'webp', width: 40, height: 30 });

    const read = await verify(engine, [queued, partialOf(bytes), publishing]);

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
  ])('drops a partial image that %s', async (_, spoil) => {
    const engine = openEngine();

    const read = await verify(engine, [queued, partialOf(spoil(await image())), publishing]);

    expect(read).toEqual([queued, publishing]);
    await engine.close();
  });

  it('skips partial images once the engine is closed, and continues', async () => {
    const engine = openEngine();
    await engine.close();

    const read = await verify(engine, [partialOf(await image()), publishing]);

    expect(read).toEqual([publishing]);
  });

  it('checks no partial image before its reader asks for it', async () => {
    let checked = 0;
    const engine = openEngine();
    const counting: Pick<ImageEngine, 'check' | 'composite'> = {
      composite: engine.composite,
      check(...given) {
        checked += 1;
        return engine.check(...given);
      },
    };
    const bytes = await image();
    async function* given() {
      yield* [partialOf(bytes), partialOf(bytes)];
    }

    const events = createVerifyPartials({ engine: counting })(given(), signal);
    await events.next();

    expect(checked).toBe(1);
    await engine.close();
  });
});
