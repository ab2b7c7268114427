import { type Admission, createAdmission } from './admission/admission.ts';
import { openArtifacts } from './app-artifacts.ts';
import { type AppJobs, openJobs } from './app-jobs.ts';
import type { ArtifactDelivery } from './artifacts/delivery.ts';
import type { Config } from './config/settings/settings.ts';
import { toRequestLimits } from './contract/schema/request-limits.ts';
import { createSealedCursors } from './cursors/sealed-cursor.ts';
import { createDiagnostics, type ServiceFacts } from './diagnostics/diagnostics.ts';
import type { EventRing } from './diagnostics/event-ring.ts';
import { createReadiness } from './diagnostics/readiness.ts';
import { recordTasks } from './diagnostics/task-records.ts';
import { createGeneration } from './generation/generation.ts';
import { listerOf } from './generation/plan/routing.ts';
import { createIdempotency, type Idempotency } from './idempotency/idempotency.ts';
import { createMemoryReplayStore } from './idempotency/memory-replay-store.ts';
import { createImageRequests, type ImageRequests } from './image-requests/image-requests.ts';
import type { ImageEngine } from './images/image.ts';
import { createImageEngine } from './images/image-engine.ts';
import { createInputLoader } from './inputs/load-input.ts';
import { createInputVerifier, type InputVerifier } from './inputs/verify-inputs.ts';
import type { TraceLog } from './log/trace-log.ts';
import type { Metrics } from './metrics/metrics.ts';
import { createHttpClient } from './net/http-client.ts';
import { createRemoteFetch } from './net/remote-fetch.ts';
import { createModels } from './openai/models.ts';
import { createOpenAiImages } from './openai/openai-images.ts';
import type { Clock } from './platform/clock.ts';
import { toFingerprint } from './platform/fingerprint.ts';
import type { Ids } from './platform/ids.ts';
import type { Task } from './platform/task.ts';
import { createTimeSlices } from './platform/time-slices.ts';
import { createPresets, type Presets } from './presets/presets.ts';
import { enabledProviders } from './providers/enabled-providers.ts';
import { createProviderInventory } from './providers/inventory.ts';
import { createProviderRegistry, type ProviderRegistry } from './providers/registry.ts';
import { createImageRuns } from './runs/image-run.ts';
import type { Services } from './services.ts';
import { openStores, type Stores } from './storage/open-stores.ts';

interface Outside {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: TraceLog;
  readonly metrics: Metrics;
  /** The last answers of the listener, which stands before the house does. */
  readonly events: EventRing;
  readonly facts: ServiceFacts;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The providers of the settings, unless somebody brings others. */
  readonly openProviders?: typeof enabledProviders;
}

/** What the runtime adds, because it knows the route table. */
type AppServices = Omit<Services, 'apiDocument' | 'allowedMethods'>;

export interface App {
  readonly services: AppServices;
  readonly tasks: readonly Task[];
  /** Where jobs wait to be run, and who runs them. */
  readonly worker: AppJobs['worker'];
  /** Waits for work that runs on without a client; once `grace` aborts, it is cancelled and its end waited for. */
  drain(grace: AbortSignal): Promise<void>;
  /** Ends everything, last built first. */
  close(): Promise<void>;
}

/**
 * Builds the house once, leaves first, removes what an earlier process left unfinished, and asks the providers whether
 * they are ready. The state directory must be locked for this process. Throws `configuration`.
 */
export async function createApp(config: Config, outside: Outside): Promise<App> {
  const { clock, ids, log, metrics, env, openProviders = enabledProviders } = outside;
  const httpClient = createHttpClient();
  const slices = createTimeSlices(clock);
  const engine = createImageEngine({ limits: config.images, clock, slices });
  const enabled = openProviders(config, { engine, httpClient, clock, ids, env });
  const registry = createProviderRegistry(enabled.providers, config.default_provider);
  const stores = await openStores(config, { clock, ids });
  const artifacts = openArtifacts(config, outside, { stores, engine });
  const { publisher } = artifacts;
  const { delivery } = artifacts;
  const inputs = openInputs(config, { engine, artifacts: delivery, stores, clock });
  const admission = openAdmission(config, registry, { clock, metrics });
  const generation = createGeneration({
    ...{ registry, admission, metrics, engine, inputs, publisher, clock, ids },
    settings: config.runtime,
  });
  const { idempotency, replays } = openIdempotency(config, outside);
  const runs = createImageRuns({ generation, publisher, log });
  const maxInputBytes = config.inputs.max_bytes_each;
  const served = { runs, publisher, idempotency, clock, slices, maxInputBytes };
  const imageRequests = createImageRequests(served);
  const presets = openPresets(stores, idempotency, clock);
  const jobParts = { stores, generation, runs, inputs, slices };
  const appJobs = openJobs(config, outside, jobParts);
  const retentions = [appJobs, artifacts.retention];
  const readiness = openReadiness(registry, { stores, retentions, clock });
  const own = [readiness.probe, stores.leaseRenewal, replays.expiry, artifacts.retention.sweep];
  const { tasks, report } = recordTasks([...own, ...appJobs.tasks], outside);
  const diagnostics = createDiagnostics({
    ...{ facts: outside.facts, events: outside.events, config, clock, database: stores },
    artifacts: stores.artifacts,
    jobs: appJobs.state,
    runtime: admission.snapshot,
    providers: readiness.providers,
    tasks: report,
  });

  async function close(): Promise<void> {
    await imageRequests.close();
    await registry.close();
    await enabled.close();
    await httpClient.close();
    await engine.close();
    await stores.close();
  }
  try {
    await artifacts.recover();
    await appJobs.recover();
    // Readiness is known before the first request can ask for it.
    await readiness.probe.run(new AbortController().signal);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    services: {
      ...{ imageRequests, presets, readiness, diagnostics },
      artifacts: delivery,
      providers: createProviderInventory({ registry }),
      ...openAi(config, { imageRequests, registry, clock }),
      ...appJobs.services,
      metrics: { exposition: () => expose(metrics, admission, appJobs) },
    },
    tasks,
    worker: appJobs.worker,
    drain: imageRequests.drain,
    close,
  };
}

function openReadiness(
  { all: providers, defaultName: defaultProvider }: ProviderRegistry,
  deps: Pick<Outside, 'clock'> & {
    stores: Pick<Stores, 'probe'>;
    retentions: { isHealthy(): boolean }[];
  },
) {
  const { clock, stores, retentions } = deps;
  const isStateReady = async () =>
    (await stores.probe()) && retentions.every((it) => it.isHealthy());
  return createReadiness({ providers, defaultProvider, isStateReady, clock });
}

async function expose(metrics: Metrics, admission: Admission, { state }: AppJobs): Promise<string> {
  const { byStatus } = await state.totals();
  return metrics.exposition({ runtime: admission.snapshot(), jobs: byStatus });
}

function openIdempotency({ runtime }: Config, { clock, ids }: Outside) {
  const replays = createMemoryReplayStore({ clock, limits: runtime.idempotency });
  return { replays, idempotency: createIdempotency({ store: replays, ids }) };
}

function openPresets(
  stores: Pick<Stores, 'presets' | 'secret'>,
  idempotency: Idempotency,
  clock: Clock,
): Presets {
  return createPresets({
    store: stores.presets,
    cursors: createSealedCursors(stores.secret),
    clock,
    once: ({ scope, key, request }, work, signal) => {
      const fingerprint = toFingerprint('createPreset', request);
      return idempotency.answer({ scope, key, fingerprint }, work, signal);
    },
  });
}

function openAi(
  config: Config,
  {
    imageRequests,
    registry,
    clock,
  }: Pick<Outside, 'clock'> & { imageRequests: ImageRequests; registry: ProviderRegistry },
) {
  const models = createModels({
    providers: registry.all.map((it) => ({ name: it.name, models: it.describe().models })),
    providerOf: (model) => listerOf(model, registry)?.name,
    aliases: config.server.compat.model_aliases,
    clock,
  });
  const limits = toRequestLimits(config);
  return { models, openAiImages: createOpenAiImages({ imageRequests, models, limits }) };
}

function openInputs(
  config: Config,
  {
    engine,
    artifacts,
    stores,
    clock,
  }: Pick<Outside, 'clock'> & {
    engine: ImageEngine;
    artifacts: ArtifactDelivery;
    stores: Pick<Stores, 'storedInputs'>;
  },
): InputVerifier {
  const { remote } = config.inputs;
  const loader = createInputLoader({
    artifacts,
    stored: stores.storedInputs,
    fetchRemote: remote.enabled ? createRemoteFetch({ policy: remote, clock }) : undefined,
  });
  return createInputVerifier({ engine, loader, limits: config.inputs });
}

function openAdmission(
  { runtime }: Config,
  registry: ProviderRegistry,
  { clock, metrics }: Pick<Outside, 'clock' | 'metrics'>,
): Admission {
  return createAdmission({
    runtime,
    clock,
    providers: registry.all.map(({ name }) => name),
    hooks: {
      onTransition: (provider, from, to) => metrics.circuitTransition({ provider, from, to }),
      onRejection: (provider) => metrics.circuitRejected({ provider }),
    },
  });
}
