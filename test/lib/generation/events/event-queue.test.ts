import { describe, expect, it } from 'vitest';
import { createEventQueue } from '../../../../lib/generation/events/event-queue.ts';
import type { GenerationEvent } from '../../../../lib/generation/events/generation-event.ts';

const MIB = 1024 * 1024;

describe('createEventQueue', () => {
  it('hands events over in their order, and ends', async () => {
    const queue = createEventQueue();
    const events = [stage('preparing'), partial(0, 0), stage('verifying', 0), stage('publishing')];

    for (const event of events) queue.push(event);
    queue.end();

    expect(await readAll(queue.events)).toEqual(events);
  });

  it('wakes a reader that waits', async () => {
    const queue = createEventQueue();
    const reading = readAll(queue.events);

    for (const index of [0, 1, 2]) {
      await turn();
      queue.push(stage('verifying', index));
    }
    queue.end();

    expect(await reading).toEqual([0, 1, 2].map((index) => stage('verifying', index)));
  });

  it('ends a reader that waits', async () => {
    const queue = createEventQueue();
    const reading = readAll(queue.events);

    await turn();
    queue.end();

    expect(await reading).toEqual([]);
  });

  it('takes nothing after its end', async () => {
    const queue = createEventQueue();

    queue.push(stage('preparing'));
    queue.end();
    queue.push(stage('publishing'));

    expect(await readAll(queue.events)).toEqual([stage('preparing')]);
  });

  it('discards everything once it is ignored', async () => {
    const queue = createEventQueue();
    queue.push(partial(0, 0));

    queue.discard();
    queue.push(partial(0, 1));

    expect(await readAll(queue.events)).toEqual([]);
  });

  it('ends a reader that waits when it is dropped', async () => {
    const queue = createEventQueue();
    const reading = readAll(queue.events);
    await turn();

    queue.discard();

    expect(await reading).toEqual([]);
  });

  it('keeps at most 64 events, of each output the newest partial image', async () => {
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

  it('drops the oldest where no event supersedes another', async () => {
    const queue = createEventQueue();

    for (let index = 0; index < 100; index += 1) queue.push(stage('verifying', index));
    queue.end();

    const read = await readAll(queue.events);
    expect(read.map(({ index }) => index)).toEqual(Array.from({ length: 64 }, (_, i) => i + 36));
  });

  it('keeps at most 32 MiB of images, and the newest of them in any case', async () => {
    const queue = createEventQueue();

    for (let index = 0; index < 5; index += 1) queue.push(partial(index, 0, 10 * MIB));
    queue.push(partial(5, 0, 40 * MIB));
    queue.end();

    expect((await readAll(queue.events)).map(({ index }) => index)).toEqual([5]);
  });

  it('prefers to lose an image that a newer one of the same output replaces', async () => {
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
