import type { Permits, Release } from '../admission/permits-port.ts';

interface Deps {
  /** The slots of all replicas. Undefined if the limit holds for this process alone. */
  readonly permits: Permits | undefined;
  /** The number of webhooks to one host that may be sent at the same time. */
  readonly limit: number;
  /** Called when a slot of a host may be free. */
  readonly onFree: () => void;
}

/**
 * Creates the slots for webhooks in progress. Each host has its own slots, so that a host that does not reply delays no other host.
 */
export function createHostSlots({ permits, limit, onFree }: Deps) {
  const used = new Map<string, number>();
  /** The hosts whose slots are all used by other replicas. */
  const full = new Set<string>();
  const freeOf = (host: string) => limit - (used.get(host) ?? 0);

  function use(host: string, permit: Release = () => {}): Release {
    used.set(host, (used.get(host) ?? 0) + 1);
    return () => {
      permit();
      const rest = (used.get(host) ?? 0) - 1;
      // A host without webhooks must not stay in memory, because clients choose the hosts.
      if (rest > 0) used.set(host, rest);
      else used.delete(host);
      onFree();
    };
  }

  /** Resolves with a slot of all replicas. If no slot is free, resolves with undefined and skips the host until a slot is free. */
  async function takeShared(
    shared: Permits,
    host: string,
    signal: AbortSignal,
  ): Promise<Release | undefined> {
    const gate = `webhooks ${host}`;
    const taken = await shared.take(gate, limit);
    if (taken) return taken;
    full.add(host);
    const freed = shared.acquire(gate, limit, signal);
    // The slot is released at once, because any replica may have sent the webhooks meanwhile.
    const wait = freed.then((release) => release()).catch(() => {});
    void wait.finally(() => {
      full.delete(host);
      onFree();
    });
    return undefined;
  }

  return {
    /** Returns false while all slots of the host are used. */
    hasRoom: (host: string): boolean => freeOf(host) > 0 && !full.has(host),

    /**
     * Resolves with functions that release one slot each. Without permits, takes all free slots of the host, otherwise one slot. The
     * caller must release every slot.
     */
    async take(host: string, signal: AbortSignal): Promise<readonly Release[]> {
      if (!permits) return Array.from({ length: freeOf(host) }, () => use(host));
      const permit = await takeShared(permits, host, signal);
      return permit ? [use(host, permit)] : [];
    },
  };
}
