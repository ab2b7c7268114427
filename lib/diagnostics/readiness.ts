import { BridgeError, toBridgeError } from '../errors/bridge-error.ts';
import type { BridgeCode } from '../errors/codes.ts';
import { type Clock, nowSecs } from '../platform/clock.ts';
import type { Task } from '../platform/task.ts';
import type { Provider } from '../providers/provider-port.ts';

interface Deps {
  /** The enabled providers, sorted by name. */
  readonly providers: readonly Pick<Provider, 'name' | 'probe' | 'restarts'>[];
  /** The name of the default provider, which determines the readiness. */
  readonly defaultProvider: string;
  /** Probes all storage except the state database. Never rejects. */
  readonly probeStorage: () => Promise<void>;
  /** Resolves with true if the state database can be read and written. */
  readonly isStateReady: () => Promise<boolean>;
  readonly clock: Clock;
}

/** The result of the last probe of a provider. */
export interface ProviderState {
  readonly name: string;
  readonly ready: boolean;
  /** The time of the last probe, or of the start if no probe has run, in Unix seconds. */
  readonly checkedSecs: number;
  readonly errorCode?: BridgeCode;
}

/** The current state of a provider. */
export interface ProviderReport extends ProviderState {
  /** The number of restarts of the child process of the provider. */
  readonly restarts: number;
}

export type Readiness = ReturnType<typeof createReadiness>;

const PROBE_EVERY_MS = 5000;

/** Creates the readiness check. Probes run in the background, and a request only reads the latest results. */
export function createReadiness(deps: Deps) {
  const { providers, defaultProvider, probeStorage, isStateReady, clock } = deps;
  const states = new Map<string, ProviderState>(
    providers.map(({ name }) => [name, { name, ready: false, checkedSecs: nowSecs(clock) }]),
  );

  async function probeOne(
    provider: Pick<Provider, 'name' | 'probe'>,
    signal: AbortSignal,
  ): Promise<void> {
    const { name } = provider;
    const found = await ask(provider, signal);
    // A probe that the shutdown aborted has no result.
    if (!signal.aborted) states.set(name, { name, checkedSecs: nowSecs(clock), ...found });
  }

  const probe: Task = {
    name: 'readiness-probe',
    everyMs: PROBE_EVERY_MS,
    async run(signal) {
      await Promise.all([
        probeStorage(),
        ...providers.map((provider) => probeOne(provider, signal)),
      ]);
    },
  };
  return {
    probe,
    async isReady(): Promise<boolean> {
      return (states.get(defaultProvider)?.ready ?? false) && (await isStateReady());
    },
    /** Returns the error for requests to a provider, or undefined if the last probe of the provider succeeded. */
    findProviderFault(name: string): BridgeError | undefined {
      const state = states.get(name);
      return state?.ready ? undefined : notReady(name, state?.errorCode);
    },
    /** Returns the enabled providers by name. */
    providers: (): readonly ProviderReport[] =>
      providers.flatMap((provider) => {
        const state = states.get(provider.name);
        return state ? [{ ...state, restarts: provider.restarts?.() ?? 0 }] : [];
      }),
  };
}

function notReady(provider: string, found: BridgeCode = 'overloaded'): BridgeError {
  const code = found === 'authentication' ? 'provider_authentication' : 'overloaded';
  return new BridgeError(
    code,
    `provider ${provider} is not ready: its last probe failed (${found})`,
    {
      provider,
      details: { reason: 'not_ready' },
    },
  );
}

async function ask(
  provider: Pick<Provider, 'probe'>,
  signal: AbortSignal,
): Promise<Pick<ProviderState, 'ready' | 'errorCode'>> {
  try {
    return await provider.probe(signal);
  } catch (error) {
    // A failed probe is a result, not an error.
    return { ready: false, errorCode: toBridgeError(error).bridgeCode };
  }
}
