import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { routes } from '../../../handlers/routes.ts';
import { createAdmission } from '../../../lib/admission/admission.ts';
import { createArtifactDelivery } from '../../../lib/artifacts/delivery.ts';
import { createPublisher } from '../../../lib/artifacts/publisher.ts';
import { loadConfig } from '../../../lib/config/load-config.ts';
import { createGeneration } from '../../../lib/generation/generation.ts';
import { createIdempotency } from '../../../lib/idempotency/idempotency.ts';
import { createMemoryReplayStore } from '../../../lib/idempotency/memory-replay-store.ts';
import { createImageRequests } from '../../../lib/image-requests/image-requests.ts';
import { createImageEngine } from '../../../lib/images/image-engine.ts';
import { createInputVerifier } from '../../../lib/inputs/verify-inputs.ts';
import { createTraceLog } from '../../../lib/log/trace-log.ts';
import { systemClock } from '../../../lib/platform/clock.ts';
import { createProviderInventory } from '../../../lib/providers/inventory.ts';
import type { Provider } from '../../../lib/providers/provider-port.ts';
import { createProviderRegistry } from '../../../lib/providers/registry.ts';
import { capabilitiesOf } from '../../../lib/providers/sandbox/capabilities.ts';
import { createSandboxProvider } from '../../../lib/providers/sandbox/provider.ts';
import type { Services } from '../../../lib/services.ts';
import { createArtifactFiles } from '../../../lib/storage/file-system/artifact-files.ts';
import { createArtifactStore } from '../../../lib/storage/sqlite/artifact-store.ts';
import { openStateDatabase, stateDatabaseFile } from '../../../lib/storage/sqlite/database.ts';
import { letHeapGrow } from '../../../local-runtime/heap-growth.ts';
import { createListener } from '../../../local-runtime/listener.ts';
import { allowedMethods } from '../../../local-runtime/mount-routes.ts';
import { openObservation } from '../../../local-runtime/observation.ts';
import { lockStateDirectory } from '../../../local-runtime/state-lock.ts';
import { openInputLoader } from '../../support/input-loader.ts';
import { openEdge } from '../../support/invoke.ts';
import { programOptions, tellPort } from './measured-server.ts';

/** A bridge with everything as `lib/app.ts` builds it, but for a provider that answers at once with one picture. */
export interface BridgeOptions {
  readonly folder: string;
  /** A PNG. */
  readonly pictureFile: string;
  readonly cacheBytes?: number;
}

const { folder, pictureFile, cacheBytes = 134_217_728 } = programOptions<BridgeOptions>();

async function readConfig() {
  const loaded = await loadConfig({
    env: {},
    cwd: folder,
    presets: {
      default_provider: 'sandbox',
      'providers.sandbox.enabled': true,
      'server.metrics.enabled': true,
    },
    set: [
      `state.directory=${join(folder, 'state')}`,
      `artifacts.root=${join(folder, 'artifacts')}`,
    ],
  });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  return loaded.config;
}

letHeapGrow();
const config = await readConfig();
const observing = { config, routes, clock: systemClock, version: '0.0.0' };
const { metrics, observer } = await openObservation(observing);
const edge = openEdge({ maxBodyBytes: config.server.max_body_bytes, observer });
const { clock, ids } = edge;
lockStateDirectory(config.state.directory);

const engine = createImageEngine({ limits: config.images, clock });
const picture = await readFile(pictureFile);
const sandbox = createSandboxProvider({ settings: { latency_ms: 0 }, engine, clock });
const instant: Provider = {
  ...sandbox,
  capabilities: capabilitiesOf,
  async execute({ indices }, { onEvent }) {
    onEvent({ type: 'progress', stage: 'dispatched' });
    return { outputs: indices.map(() => ({ bytes: picture })) };
  },
};
const registry = createProviderRegistry([instant], config.default_provider);
const database = openStateDatabase({ file: stateDatabaseFile(config.state.directory), ids });
const store = createArtifactStore(database);
const files = createArtifactFiles({ root: config.artifacts.root, clock });
const publisher = createPublisher({ store, files, ids, clock });
const artifacts = createArtifactDelivery({ store, files, engine, cacheBytes, metrics });
const loader = openInputLoader({ artifacts });
const inputs = createInputVerifier({ engine, loader, limits: config.inputs });
const generation = createGeneration({
  ...{ registry, engine, inputs, publisher, clock, ids },
  admission: createAdmission({ runtime: config.runtime, clock }),
  metrics,
  settings: config.runtime,
});
// The log makes its lines, and whatever takes them costs nothing.
const nowhere = new Writable({ write: (_line, _encoding, done) => done() });
const maxInputBytes = config.inputs.max_bytes_each;
const replays = createMemoryReplayStore({ clock, limits: config.runtime.idempotency });

const services: Services = {
  imageRequests: createImageRequests({
    ...{ generation, publisher, clock, maxInputBytes },
    log: createTraceLog(nowhere),
    idempotency: createIdempotency({ store: replays, ids }),
  }),
  providers: createProviderInventory({ registry }),
  artifacts,
  readiness: { isReady: async () => true },
  diagnostics: { report: () => Promise.reject(new Error('no benchmark asks for it')) },
  metrics: { exposition: async () => '' },
  apiDocument: () => Buffer.alloc(0),
  allowedMethods: allowedMethods(routes),
};
const listener = createListener({
  ...{ routes, edge },
  services: Promise.resolve(services),
  settings: config.server,
});
tellPort(await listener.listen({ host: '127.0.0.1', port: 0 }));
