import type { ProviderRegistry } from '../providers/registry.ts';

interface Deps {
  readonly registry: ProviderRegistry;
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
export function createReadiness({ registry, isStateReady }: Deps) {
  let providerReady = false;
  const probe: Task = {
    name: 'readiness-probe',
    everyMs: PROBE_EVERY_MS,
    async run(signal) {
      const provider = registry.find(registry.defaultName);
      // A probe that fails is an answer: not ready.
      const found = await provider?.probe(signal).catch(() => undefined);
      providerReady = found?.ready ?? false;
    },
  };
  return {
    probe,
    async isReady(): Promise<boolean> {
      return providerReady && (await isStateReady());
    },
  };
}
