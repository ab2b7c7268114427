import { describe, expect, it } from 'vitest';
import { createReadiness } from '../../../lib/diagnostics/readiness.ts';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import type { ProviderReadiness } from '../../../lib/providers/provider-port.ts';
import { createManualClock } from '../../support/manual-clock.ts';

const signal = new AbortController().signal;
const ready: ProviderReadiness = { ready: true };
const loggedOut: ProviderReadiness = { ready: false, errorCode: 'authentication' };

type Probe = (signal: AbortSignal) => Promise<ProviderReadiness>;

function readinessOf(
  probes: Readonly<Record<string, Probe>>,
  isStateReady: () => Promise<boolean> = async () => true,
  clock = createManualClock(),
  probeStorage = async () => {},
) {
  const providers = Object.entries(probes).map(([name, probe]) => ({ name, probe }));
  return createReadiness({
    providers,
    defaultProvider: 'sandbox',
    probeStorage,
    isStateReady,
    clock,
  });
}

describe('createReadiness', () => {
  it('is not ready before the first probe', async () => {
    const readiness = readinessOf({ sandbox: async () => ready });

    await expect(readiness.isReady()).resolves.toBe(false);
    expect(readiness.providers()).toMatchObject([{ name: 'sandbox', ready: false }]);
  });

  it.each([
    ['provider and state are', ready, true, true],
    ['the provider is not', loggedOut, true, false],
    ['the state is not', ready, false, false],
  ] as const)('reports the state when %s ready', async (_, found, stateReady, expected) => {
    const readiness = readinessOf({ sandbox: async () => found }, async () => stateReady);

    await readiness.probe.run(signal);

    await expect(readiness.isReady()).resolves.toBe(expected);
  });

  it('is not ready without a default provider', async () => {
    const readiness = readinessOf({ other: async () => ready });

    await readiness.probe.run(signal);

    await expect(readiness.isReady()).resolves.toBe(false);
  });

  it('depends on the default provider and reports all providers', async () => {
    const clock = createManualClock();
    const probes = { other: async () => loggedOut, sandbox: async () => ready };
    const readiness = readinessOf(probes, undefined, clock);
    await clock.advance(9000);

    await readiness.probe.run(signal);

    const checkedSecs = Math.floor(clock.nowMs() / 1000);
    await expect(readiness.isReady()).resolves.toBe(true);
    expect(readiness.providers()).toEqual([
      { name: 'other', ready: false, errorCode: 'authentication', checkedSecs, restarts: 0 },
      { name: 'sandbox', ready: true, checkedSecs, restarts: 0 },
    ]);
    const faults = ['other', 'sandbox', 'unknown'].map(readiness.findProviderFault);
    expect(faults.map((fault) => fault?.bridgeCode)).toEqual([
      'authentication',
      undefined,
      'overloaded',
    ]);
  });

  it('reports a probed provider while the probe of another provider runs', async () => {
    let finish = (_found: ProviderReadiness) => {};
    const slow = new Promise<ProviderReadiness>((resolve) => {
      finish = resolve;
    });
    const readiness = readinessOf({ other: () => slow, sandbox: async () => ready });

    const run = readiness.probe.run(signal);

    await expect.poll(() => readiness.isReady()).toBe(true);
    finish(ready);
    await run;
  });

  it.each<[string, Probe, string]>([
    ['rejects', () => Promise.reject(new Error('no')), 'internal'],
    ['rejects with a code', () => Promise.reject(new BridgeError('upstream', 'no')), 'upstream'],
    [
      'throws',
      () => {
        throw new Error('no');
      },
      'internal',
    ],
  ])('is not ready after a probe that %s, until a probe succeeds', async (_, fail, code) => {
    const probes: Probe[] = [async () => ready, fail, async () => ready];
    const readiness = readinessOf({ sandbox: (given) => (probes.shift() ?? fail)(given) });
    const seen: unknown[] = [];

    for (let run = 0; run < 3; run += 1) {
      await readiness.probe.run(signal);
      seen.push([await readiness.isReady(), readiness.providers()[0]?.errorCode]);
    }

    expect(seen).toEqual([
      [true, undefined],
      [false, code],
      [true, undefined],
    ]);
  });

  it('ignores a probe that the shutdown aborted', async () => {
    const ending = new AbortController();
    const readiness = readinessOf({ sandbox: async () => ready });
    await readiness.probe.run(signal);
    const cut = readinessOf({
      async sandbox() {
        ending.abort();
        throw new Error('cut');
      },
    });

    await cut.probe.run(ending.signal);

    expect(cut.providers()[0]).not.toHaveProperty('errorCode');
    await expect(readiness.isReady()).resolves.toBe(true);
  });

  it('probes providers only in its task', async () => {
    let probes = 0;
    const readiness = readinessOf({
      async sandbox() {
        probes += 1;
        return ready;
      },
    });

    await readiness.probe.run(signal);
    await Promise.all([readiness.isReady(), readiness.isReady()]);
    readiness.providers();

    expect(probes).toBe(1);
    expect(readiness.probe.everyMs).toBe(5000);
  });

  it('probes the storage only in its task', async () => {
    let probes = 0;
    const readiness = readinessOf(
      { sandbox: async () => ready },
      undefined,
      undefined,
      async () => {
        probes += 1;
      },
    );

    await readiness.probe.run(signal);
    await readiness.isReady();

    expect(probes).toBe(1);
  });

  it('checks the state database at each call', async () => {
    let stateReady = true;
    const readiness = readinessOf({ sandbox: async () => ready }, async () => stateReady);
    await readiness.probe.run(signal);

    const before = await readiness.isReady();
    stateReady = false;

    expect([before, await readiness.isReady()]).toEqual([true, false]);
  });
});
