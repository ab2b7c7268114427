import { type ReadonlySignal, signal } from '@preact/signals';
import { type Api, unwrap } from '../api/api.ts';
import type { Diagnostics } from '../api/schemas.ts';

export type ProviderState = Diagnostics['providers'][number];

/** Which providers are ready, as the bridge last found; read when somebody wants to know. */
export function createReadiness(api: Api) {
  const providers = signal<ReadonlyMap<string, ProviderState>>(new Map());
  return {
    /** By name. A provider that is missing here is not known to be unready. */
    providers: providers as ReadonlySignal<ReadonlyMap<string, ProviderState>>,

    async read(): Promise<void> {
      try {
        const found = await unwrap(api.GET('/v1/diagnostics'));
        providers.value = new Map(found.providers.map((each) => [each.name, each]));
      } catch {
        // What was known stays; a token may lack the permission to read diagnostics.
      }
    },
  };
}
