import { computed } from '@preact/signals';
import type { Diagnostics } from '../api/schemas.ts';
import type { DiagnosticsSource } from '../diagnostics/diagnostics.ts';

export type ProviderState = Diagnostics['providers'][number];

/** Which providers are ready, as the bridge last found; read when somebody wants to know. */
export function createReadiness({ latest, read }: DiagnosticsSource) {
  return {
    /** By name. A provider that is missing here is not known to be unready: a token may lack the permission to know. */
    providers: computed<ReadonlyMap<string, ProviderState>>(
      () => new Map(latest.value?.report.providers.map((each) => [each.name, each])),
    ),
    read,
  };
}
