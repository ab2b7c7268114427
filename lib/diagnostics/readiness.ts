import type { Provider } from '../providers/provider-port.ts';

interface Deps {
  /** The default provider, which readiness follows. */
  readonly provider: Pick<Provider, 'probe'> | undefined;
  /** Whether the state database answers and takes writes. */
  readonly isStateReady: () => Promise<boolean>;
}

/** Something that the runtime does again and again. */
export interface Task {
  readonly name: string;
  readonly everyMs: number;
  run(signal: AbortSignal): Promise<void>;
}

export type Readiness = ReturnType<typeof createReadiness>;

const PROBE_EVERY_MS = 5000;

/** Whether work would be taken now. The provider is probed in the background; a request only reads what was found. */
export function createReadiness({ provider, isStateReady }: Deps) {
  let isProviderReady = false;
  const probe: Task = {
    name: 'readiness-probe',
    everyMs: PROBE_EVERY_MS,
    async run(signal) {
      try {
        const found = await provider?.probe(signal);
        isProviderReady = found?.ready ?? false;
      } catch {
        // A probe that fails is an answer too.
        isProviderReady = false;
      }
    },
  };
  return {
    probe,
    async isReady(): Promise<boolean> {
      return isProviderReady && (await isStateReady());
    },
  };
}
