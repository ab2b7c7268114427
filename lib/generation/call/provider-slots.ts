import { createSemaphore, type Semaphore } from '../../platform/semaphore.ts';
import type { AskPlan } from '../plan/ask-plan.ts';

/** The slots for simultaneous calls: one semaphore a provider, for all operations and models. */
export function createProviderSlots(): (ask: AskPlan) => Semaphore {
  const byProvider = new Map<string, Semaphore>();
  return ({ provider, maxParallelCalls }) => {
    const known = byProvider.get(provider.name);
    if (known) return known;
    const created = createSemaphore(maxParallelCalls);
    byProvider.set(provider.name, created);
    return created;
  };
}
