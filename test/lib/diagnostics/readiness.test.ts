import { describe, expect, it } from 'vitest';
import { createReadiness } from '../../../lib/diagnostics/readiness.ts';
import type { ProviderReadiness } from '../../../lib/providers/provider-port.ts';

const signal = new AbortController().signal;
const ready: ProviderReadiness = { ready: true };
const loggedOut: ProviderReadiness = { ready: false, errorCode: 'authentication' };

describe('createReadiness', () => {
  it('is not ready before the first probe', async () => {
    const readiness = createReadiness({ provider: probing(ready), isStateReady: async () => true });

    await expect(readiness.isReady()).resolves.toBe(false);
  });

  it.each([
    ['provider and state are', ready, true, true],
    ['the provider is not', loggedOut, true, false],
    ['the state is not', ready, false, false],
  ] as const)('answers when %s ready', async (_, found, stateReady, expected) => {
    const readiness = createReadiness({
      provider: probing(found),
      isStateReady: async () => stateReady,
    });

    await readiness.probe.run(signal);

    await expect(readiness.isReady()).resolves.toBe(expected);
  });

  it('is not ready without a default provider', async () => {
    const readiness = createReadiness({ provider: undefined, isStateReady: async () => true });

    await readiness.probe.run(signal);

    await expect(readiness.isReady()).resolves.toBe(false);
  });

  it.each([
    ['rejects', () => Promise.reject(new Error('no'))],
    [
      'throws',
      () => {
        throw new Error('no');
      },
    ],
  ])('is ready no longer when a probe %s, and again when one succeeds', async (_, fail) => {
    const probes = [async () => ready, fail, async () => ready];
    const readiness = createReadiness({
      provider: { probe: () => (probes.shift() ?? fail)() },
      isStateReady: async () => true,
    });
    const seen: boolean[] = [];

    for (let run = 0; run < 3; run += 1) {
      await readiness.probe.run(signal);
      seen.push(await readiness.isReady());
    }

    expect(seen).toEqual([true, false, true]);
  });

  it('probes in its task only, never when it is asked', async () => {
    let probes = 0;
    const readiness = createReadiness({
      provider: {
        async probe() {
          probes += 1;
          return ready;
        },
      },
      isStateReady: async () => true,
    });

    await readiness.probe.run(signal);
    await Promise.all([readiness.isReady(), readiness.isReady()]);

    expect(probes).toBe(1);
    expect(readiness.probe.everyMs).toBe(5000);
  });

  it('asks the state each time', async () => {
    let stateReady = true;
    const readiness = createReadiness({
      provider: probing(ready),
      isStateReady: async () => stateReady,
    });
    await readiness.probe.run(signal);

    const before = await readiness.isReady();
    stateReady = false;

    expect([before, await readiness.isReady()]).toEqual([true, false]);
  });
});

function probing(found: ProviderReadiness) {
  return { probe: async () => found };
}
