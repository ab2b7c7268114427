import { createSemaphore, type Semaphore } from '../../platform/semaphore.ts';
import type { Route } from '../plan/routing.ts';

/** The places for simultaneous calls, one set a provider, whichever operations and models they belong to. */
export function createProviderSlots(): (route: Route) => Semaphore {
  const byProvider = new Map<string, Semaphore>();
  return ({ provider, capabilities }) => {
    const known = byProvider.get(provider.name);
    if (known) return known;
    const made = createSemaphore(capabilities.batching.max_parallel_outputs);
    byProvider.set(provider.name, made);
    return made;
  };
}
