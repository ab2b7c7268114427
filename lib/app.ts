import { createArtifactDelivery } from './artifacts/delivery.ts';
import { createPublisher } from './artifacts/publisher.ts';
import type { Config } from './config/settings.ts';
import { createReadiness, type Task } from './diagnostics/readiness.ts';
import { createGeneration } from './generation/generation.ts';
import { createImageRequests } from './image-requests/image-requests.ts';
import { createImageEngine } from './images/image-engine.ts';
import { createInputVerifier } from './inputs/verify-inputs.ts';
import type { TraceLog } from './log/trace-log.ts';
import { createHttpClient } from './net/http-client.ts';
import type { Clock } from './platform/clock.ts';
import type { Ids } from './platform/ids.ts';
import { enabledProviders } from './providers/enabled-providers.ts';
import { createProviderInventory } from './providers/inventory.ts';
import { createProviderRegistry } from './providers/registry.ts';
import type { Services } from './services.ts';
import { createArtifactFiles } from './storage/file-system/artifact-files.ts';
import { createArtifactStore } from './storage/sqlite/artifact-store.ts';
import { openStateDatabase, stateDatabaseFile } from './storage/sqlite/database.ts';

interface Outside {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: TraceLog;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What the runtime adds, because it knows the route table. */
type HouseServices = Omit<Services, 'apiDocument' | 'allowedMethods'>;

export interface App {
  readonly services: HouseServices;
  readonly tasks: readonly Task[];
  /** Ends everything, last built first. */
  close(): Promise<void>;
}

/**
 * Builds the house once, leaves first, and removes what an earlier process left unfinished. The state directory must be
 * locked for this process. Throws `configuration`.
 */
export async function createApp(config: Config, outside: Outside): Promise<App> {
  const { clock, ids, log, env } = outside;
  const httpClient = createHttpClient();
  const engine = createImageEngine({ limits: config.images, clock });
  const enabled = enabledProviders(config, { engine, httpClient, clock, ids, env });
  const registry = createProviderRegistry(enabled.providers, config.default_provider);
  const database = openStateDatabase({ file: stateDatabaseFile(config.state.directory), ids });
  const store = createArtifactStore(database);
  const files = createArtifactFiles({ root: config.artifacts.root, clock });
  const publisher = createPublisher({ store, files, ids, clock });
  const cacheBytes = config.artifacts.cache_bytes;
  const artifacts = createArtifactDelivery({ store, files, engine, cacheBytes });
  const inputs = createInputVerifier({ engine, limits: config.inputs });
  const generation = createGeneration({
    registry,
    engine,
    inputs,
    publisher,
    clock,
    ids,
    settings: config.runtime,
  });
  const maxInputBytes = config.inputs.max_bytes_each;
  const imageRequests = createImageRequests({ generation, publisher, log, maxInputBytes });
  const readiness = createReadiness({
    provider: registry.find(registry.defaultName),
    isStateReady: database.probe,
  });

  async function close(): Promise<void> {
    await registry.close();
    await enabled.close();
    await httpClient.close();
    await engine.close();
    await database.close();
  }
  try {
    await publisher.recover();
  } catch (error) {
    await close();
    throw error;
  }
  const providers = createProviderInventory({ registry });
  return {
    services: { imageRequests, providers, artifacts, readiness },
    tasks: [readiness.probe],
    close,
  };
}
