import { describe, expect, it } from 'vitest';
import { createKeyedMutex } from '../../../lib/platform/keyed-mutex.ts';

describe('createKeyedMutex', () => {
  it('runs work with the same key sequentially, in the order of the calls', async () => {
    const mutex = createKeyedMutex();
    const seen: string[] = [];
    let endFirst = () => {};
    const firstEnd = new Promise<void>((resolve) => {
      endFirst = resolve;
    });

    const one = mutex.run('a', async () => {
      seen.push('one starts');
      await firstEnd;
      seen.push('one ends');
    });
    const two = mutex.run('a', async () => void seen.push('two'));
    const three = mutex.run('a', async () => void seen.push('three'));
    await mutex.run('b', async () => void seen.push('another key'));
    endFirst();
    await Promise.all([one, two, three]);

    expect(seen).toEqual(['one starts', 'another key', 'one ends', 'two', 'three']);
  });

  it('returns what the work returns, and runs the next work after a failure', async () => {
    const mutex = createKeyedMutex();
    const failure = new Error('broken');

    const failing = mutex.run('a', () => Promise.reject(failure));
    const next = mutex.run('a', async () => 'done');

    await expect(failing).rejects.toBe(failure);
    expect(await next).toBe('done');
  });

  it('drops a key when its last work has settled', async () => {
    const mutex = createKeyedMutex();

    await Promise.allSettled([
      mutex.run('a', async () => 1),
      mutex.run('a', () => Promise.reject(new Error('broken'))),
      mutex.run('b', async () => 2),
    ]);

    expect(mutex.size()).toBe(0);
  });
});
