import { describe, expect, test } from 'vitest';
import { createPatience } from '../../../lib/artifacts/patience.ts';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import { createManualClock } from '../../support/manual-clock.ts';

const outage = new BridgeError('overloaded', 'the artifact bucket is unavailable', {
  details: { reason: 'artifact_store_unavailable' },
});
const MINUTE_MS = 60_000;

/** A patience, and work that fails until `recover`. */
function openRig(maxWaitingBytes?: number) {
  const clock = createManualClock();
  const noted: number[] = [];
  const onFailure = async (bytes: number) => void noted.push(bytes);
  let failure: Error | undefined = outage;
  let tries = 0;
  return {
    clock,
    noted,
    patienceFor: createPatience({ clock, onFailure, maxWaitingBytes }),
    tries: () => tries,
    recover: () => {
      failure = undefined;
    },
    async work(): Promise<string> {
      tries += 1;
      if (failure) throw failure;
      return 'published';
    },
  };
}

const never = new AbortController().signal;

describe('createPatience', () => {
  test('work that succeeds is done once', async () => {
    const rig = openRig();
    rig.recover();

    expect(await rig.patienceFor(10, never)(rig.work)).toBe('published');
    expect([rig.tries(), rig.noted]).toEqual([1, []]);
  });

  test('work is repeated until the store is available again', async () => {
    const rig = openRig();
    const outcome = rig.patienceFor(10, never)(rig.work);
    await rig.clock.advance(MINUTE_MS);
    const during = rig.tries();

    rig.recover();
    await rig.clock.advance(MINUTE_MS);

    expect(await outcome).toBe('published');
    expect(during).toBeGreaterThan(10);
    expect(rig.noted).toEqual(Array.from({ length: during }, () => 10));
  });

  test('work is repeated until the folder of the files has space again', async () => {
    const { clock, patienceFor } = openRig();
    const full = new BridgeError('artifact', 'the artifact folder is full', {
      details: { reason: 'artifact_folder_full' },
    });
    let isFull = true;
    const outcome = patienceFor(
      10,
      never,
    )(async () => {
      if (isFull) throw full;
      return 'published';
    });
    await clock.advance(1000);

    isFull = false;
    await clock.advance(MINUTE_MS);

    expect(await outcome).toBe('published');
  });

  test('work that fails for ten minutes is given up', async () => {
    const rig = openRig();
    const outcome = rig
      .patienceFor(
        10,
        never,
      )(rig.work)
      .catch((error: unknown) => error);

    await rig.clock.advance(10 * MINUTE_MS);

    expect(await outcome).toBe(outage);
    expect(rig.clock.waiting).toBe(0);
  });

  test('work is given up when the signal aborts', async () => {
    const rig = openRig();
    const controller = new AbortController();
    const outcome = rig.patienceFor(10, controller.signal)(rig.work);
    const caught = outcome.catch((error: unknown) => error);
    await rig.clock.advance(MINUTE_MS);

    controller.abort();

    expect(await caught).toBe(outage);
    expect(rig.clock.waiting).toBe(0);
  });

  test('work that begins after the signal has aborted is tried once', async () => {
    const rig = openRig();

    const outcome = rig.patienceFor(10, AbortSignal.abort())(rig.work);

    await expect(outcome).rejects.toBe(outage);
    expect(rig.tries()).toBe(1);
  });

  test.each([
    [
      'an error of the folder',
      new BridgeError('artifact', 'denied', { details: { reason: 'artifact_folder_unusable' } }),
    ],
    ['an error that is no outage', new BridgeError('overloaded', 'a storage thread has ended')],
  ])('%s is thrown at once', async (_, failure) => {
    const { patienceFor } = openRig();

    await expect(patienceFor(10, never)(() => Promise.reject(failure))).rejects.toBe(failure);
  });

  test('images that exceed the memory for waiting images are given up at once', async () => {
    const rig = openRig(25);
    const first = rig.patienceFor(20, never)(rig.work);
    await rig.clock.advance(1000);

    await expect(rig.patienceFor(10, never)(rig.work)).rejects.toBe(outage);
    rig.recover();
    await rig.clock.advance(MINUTE_MS);

    expect(await first).toBe('published');
  });
});
