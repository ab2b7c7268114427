import { describe, expect, it } from 'vitest';
import { createKeyedMutex } from '../../../lib/platform/keyed-mutex.ts';

/** Work that ends when it is told to. */
function openWork() {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { end, ended };
}

describe('createTurns', () => {
  it('runs what has one key one after the other, as it came', async () => {
    const turns = createKeyedMutex();
    const first = openWork();
    const seen: string[] = [];

    const one = turns.take('a', async () => {
      seen.push('one begins');
      await first.ended;
      seen.push('one ends');
    });
    const two = turns.take('a', async () => void seen.push('two'));
    const three = turns.take('a', async () => void seen.push('three'));
    await turns.take('b', async () => void seen.push('elsewhere'));
    first.end();
    await Promise.all([one, two, three]);

    expect(seen).toEqual(['one begins', 'elsewhere', 'one ends', 'two', 'three']);
  });

  it('gives what the work gives, and goes on after a failure', async () => {
    const turns = createKeyedMutex();
    const failure = new Error('broken');

    const failing = turns.take('a', () => Promise.reject(failure));
    const next = turns.take('a', async () => 'done');

    await expect(failing).rejects.toBe(failure);
    expect(await next).toBe('done');
  });

  it('remembers no key that has no work', async () => {
    const turns = createKeyedMutex();

    await Promise.allSettled([
      turns.take('a', async () => 1),
      turns.take('a', () => Promise.reject(new Error('broken'))),
      turns.take('b', async () => 2),
    ]);

    expect(turns.size()).toBe(0);
  });
});
