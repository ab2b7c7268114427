import { setImmediate as settled } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createDecodeGate, type DecodeGate } from '../../../lib/images/decode-gate.ts';

const never = new AbortController().signal;

describe('createDecodeGate', () => {
  it('runs as many at a time as it has places, in the order of arrival', async () => {
    const gate = createDecodeGate(2);
    const works = ['a', 'b', 'c', 'd'].map((name) => begin(gate, name));

    await settled();
    const atFirst = works.map((work) => work.started);
    works[1]?.end();
    await settled();
    const afterOne = works.map((work) => work.started);

    expect(atFirst).toEqual([true, true, false, false]);
    expect(afterOne).toEqual([true, true, true, false]);
  });

  it('gives what the work gives and frees the place', async () => {
    const gate = createDecodeGate(1);

    const results = await Promise.all([
      gate.run(async () => 1, never),
      gate.run(async () => 2, never),
    ]);

    expect(results).toEqual([1, 2]);
  });

  it('frees the place of work that fails, even before it has begun to wait', async () => {
    const gate = createDecodeGate(1);
    const failure = new Error('bad');

    const rejected = gate.run(() => Promise.reject(failure), never);
    const thrown = gate.run(() => {
      throw failure;
    }, never);
    const after = gate.run(async () => 'after', never);

    await expect(rejected).rejects.toBe(failure);
    await expect(thrown).rejects.toBe(failure);
    await expect(after).resolves.toBe('after');
  });

  it('lets one who aborts leave the queue at once', async () => {
    const gate = createDecodeGate(1);
    const reason = new Error('gone');
    const controller = new AbortController();
    const first = begin(gate, 'first');
    const second = begin(gate, 'second', controller.signal);
    const third = begin(gate, 'third');

    controller.abort(reason);
    await expect(second.result).rejects.toBe(reason);
    first.end();
    await settled();

    expect(second.started).toBe(false);
    expect(third.started).toBe(true);
  });

  it('keeps the place of aborted work until that work has ended', async () => {
    const gate = createDecodeGate(1);
    const reason = new Error('gone');
    const controller = new AbortController();
    const first = begin(gate, 'first', controller.signal);
    const second = begin(gate, 'second');
    await settled();

    controller.abort(reason);
    await expect(first.result).rejects.toBe(reason);
    const whileItRuns = second.started;
    first.end();
    await settled();

    expect(whileItRuns).toBe(false);
    expect(second.started).toBe(true);
  });

  it('passes a place on that comes together with the abort', async () => {
    const gate = createDecodeGate(1);
    const reason = new Error('gone');
    const controller = new AbortController();
    const { signal } = controller;
    const first = begin(gate, 'first');
    const second = begin(gate, 'second', signal);
    const third = begin(gate, 'third');
    // The gate stops listening in the very moment in which it lets the work in.
    const stopListening = signal.removeEventListener.bind(signal);
    signal.removeEventListener = (type: string, listener: () => void) => {
      stopListening(type, listener);
      controller.abort(reason);
    };

    first.end();
    await expect(second.result).rejects.toBe(reason);
    await settled();

    expect(second.started).toBe(false);
    expect(third.started).toBe(true);
  });

  it('does not begin work for a signal that has aborted', async () => {
    const gate = createDecodeGate(1);
    const reason = new Error('gone');

    const work = begin(gate, 'late', AbortSignal.abort(reason));

    await expect(work.result).rejects.toBe(reason);
    expect(work.started).toBe(false);
  });
});

/** Work that ends when it is told to. */
function begin(gate: DecodeGate, name: string, signal: AbortSignal = never) {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const work = { started: false, end: () => end(), result: Promise.resolve(name) };
  work.result = gate.run(async () => {
    work.started = true;
    await ended;
    return name;
  }, signal);
  work.result.catch(() => {});
  return work;
}
