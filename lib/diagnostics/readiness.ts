import { BridgeError, toBridgeError } from '../errors/bridge-error.ts';
import type { BridgeCode } from '../errors/codes.ts';
import { type Clock, nowSecs } from '../platform/clock.ts';
import type { Task } from '../platform/task.ts';
import type { Provider } from '../providers/provider-port.ts';

interface Deps {
  /** The enabled ones, by name. */
  readonly providers: readonly Pick<Provider, 'name' | 'probe' | 'restarts'>[];
  /** The one that readiness follows. */
  readonly defaultProvider: string;
  /** Looks at what the bridge writes to, beside the state database. Never rejects. */
  readonly probeStorage: () => Promise<void>;
  /** Whether the state database can be read and written. */
  readonly isStateReady: () => Promise<boolean>;
  readonly clock: Clock;
}

/** The result of the last probe of a provider. */
export interface ProviderState {
  readonly name: string;
  readonly ready: boolean;
  /** Unix time of the probe, or of the start while there was none. */
  readonly checkedSecs: number;
  readonly errorCode?: BridgeCode;
}

/** What is known of a provider now. */
export interface ProviderReport extends ProviderState {
  /** How often its child process was started again. */
  readonly restarts: number;
}

export type Readiness = ReturnType<typeof createReadiness>;

const PROBE_EVERY_MS = 5000;

/**
 * Tells whether work would be taken now. Providers and storage are probed in the background; a request only reads the last
 * results.
 */
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
    /** The error that a request to this provider would meet, by its last probe; undefined if the provider is ready. */
    findProviderFault(name: string): BridgeError | undefined {
      const state = states.get(name);
      return state?.ready ? undefined : notReady(name, state?.errorCode);
    },
    /** The enabled providers, by name. */
    providers: (): readonly ProviderReport[] =>
      providers.flatMap((provider) => {
        const state = states.get(provider.name);
        return state ? [{ ...state, restarts: provider.restarts?.() ?? 0 }] : [];
      }),
  };
}

function notReady(provider: string, found: BridgeCode = 'overloaded'): BridgeError {
  const code = found === 'authentication' ? 'provider_authentication' : 'overloaded';
  return new BridgeError(code, `the last probe found provider ${provider} not ready (${found})`, {
    provider,
    details: { reason: 'not_ready' },
  });
}

async function ask(
  provider: Pick<Provider, 'probe'>,
  signal: AbortSignal,
): Promise<Pick<ProviderState, 'ready' | 'errorCode'>> {
  try {
    return await provider.probe(signal);
  } catch (error) {
    // A failed probe is a result.
    return { ready: false, errorCode: toBridgeError(error).bridgeCode };
  }
}
