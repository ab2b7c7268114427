import { type Admission, createAdmission } from '../../../lib/admission/admission.ts';
import { createArtifactDelivery } from '../../../lib/artifacts/delivery.ts';
import { createImageDelivery } from '../../../lib/artifacts/image-delivery.ts';
import { resolveConfig } from '../../../lib/config/resolve-config.ts';
import type { CapabilityDocument } from '../../../lib/contract/resources/provider.ts';
import type { BridgeError } from '../../../lib/errors/bridge-error.ts';
import { createGeneration } from '../../../lib/generation/generation.ts';
import type { GenerationRequest } from '../../../lib/generation/generation-request.ts';
import { createInputVerifier } from '../../../lib/inputs/verify-inputs.ts';
import { silentMetrics } from '../../../lib/metrics/metrics.ts';
import type { Credentials } from '../../../lib/provenance/credentials.ts';
import type { Provider } from '../../../lib/providers/provider-port.ts';
import { createProviderRegistry } from '../../../lib/providers/registry.ts';
import { createSessionLocks, createSessionTurns } from '../../../lib/sessions/sessions.ts';
import { openInputLoader } from '../../support/input-loader.ts';
import { newLedger } from '../../support/ledgers.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { noPrices } from '../../support/no-prices.ts';
import { NO_CREDENTIALS } from '../../support/provenance/no-credentials.ts';
import { createScriptedProvider, type Script } from '../../support/scripted-provider.ts';
import { openArtifactRig } from '../artifacts/artifact-rig.ts';
import { anything } from './capability-documents.ts';
import { openEngine } from './images.ts';

export type GenerationRig = Awaited<ReturnType<typeof openGenerationRig>>;

/**
 * Creates the whole pipeline with real images, a real store and a real folder. Only the provider, the `fallbacks` to other providers
 * and the time are scripted.
 */
export async function openGenerationRig(
  script: Partial<Script> = {},
  capabilities: CapabilityDocument = anything,
  given: Partial<Admission> = {},
  fallbacks: readonly Provider[] = [],
  credentials: Omit<Credentials, 'validUntilMs' | 'close'> = NO_CREDENTIALS,
) {
  const clock = createManualClock();
  const engine = openEngine();
  const artifacts = await openArtifactRig();
  const { store, files } = artifacts;
  const delivery = createArtifactDelivery({
    store,
    files,
    images: createImageDelivery({ engine, cacheBytes: 1_000_000 }),
  });
  const provider = createScriptedProvider({ capabilities, ...script });
  const admission = { ...createAdmission({ runtime: defaultRuntime(), clock }), ...given };
  const { sessions: sessionStore } = artifacts.stores;
  const generation = createGeneration({
    credentials,
    sessions: createSessionTurns({ store: sessionStore, locks: createSessionLocks() }),
    registry: createProviderRegistry([provider, ...fallbacks], provider.name),
    engine,
    inputs: createInputVerifier({
      engine,
      loader: openInputLoader({ artifacts: delivery }),
      limits: {
        max_bytes_each: 1_000_000,
        max_bytes_total: 2_000_000,
        max_pixels: 1e8,
        max_edge: 16_384,
        max_request_pixels: 1e9,
      },
    }),
    publisher: artifacts.publisher,
    admission,
    metrics: silentMetrics,
    prices: noPrices,
    clock,
    ids: artifacts.ids,
    settings: { default_timeout_ms: 60_000, cancellation_grace_ms: 1000 },
  });
  /** Returns the context of a generation. `disconnect` aborts its signal, as a disconnecting client does. */
  function newContext(outputs = 1) {
    const client = new AbortController();
    return {
      requestId: 'request-1',
      scope: 'anonymous',
      baseUrl: 'http://localhost:8787',
      ledger: newLedger(outputs),
      signal: client.signal,
      disconnect: (reason: BridgeError) => client.abort(reason),
    };
  }
  return {
    clock,
    provider,
    admission,
    generation,
    artifacts,
    sessionStore,
    newContext,
    run: (request: GenerationRequest, context = newContext(request.parameters.n)) =>
      generation.run(request, context, context.signal),
    async close(): Promise<void> {
      await engine.close();
      await artifacts.close();
    },
  };
}

function defaultRuntime() {
  const resolved = resolveConfig([]);
  if (!resolved.ok) throw new Error('the defaults are not valid');
  return resolved.config.runtime;
}
