import { createSlots, type Slots } from '../admission/slots.ts';
import type { Route } from './routing.ts';

/** The places for simultaneous calls, one set a provider, whichever operations and models they belong to. */
export function createProviderSlots(): (route: Route) => Slots {
  const byProvider = new Map<string, Slots>();
  return ({ provider, capabilities }) => {
    const known = byProvider.get(provider.name);
    if (known) return known;
    const made = createSlots(capabilities.batching.max_parallel_outputs);
    byProvider.set(provider.name, made);
    return made;
  };
}
