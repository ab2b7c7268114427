import type { Admission } from './admission/admission.ts';
import { type AppArtifacts, openArtifacts } from './app-artifacts.ts';
import { type AppJobs, openJobs } from './app-jobs.ts';
import { openRuns } from './app-runs.ts';
import type { OwnerFolder } from './artifacts/artifact-names.ts';
import { createReconciliations, type Reconciliations } from './billing/reconciliation.ts';
import type { Config } from './config/settings/settings.ts';
import { toRequestLimits } from './contract/schema/request-limits.ts';
import { createSealedCursors, type SealedCursors } from './cursors/sealed-cursor.ts';
import { createDiagnostics, type ServiceFacts } from './diagnostics/diagnostics.ts';
import type { EventRing } from './diagnostics/event-ring.ts';
import { createReadiness, type Readiness } from './diagnostics/readiness.ts';
import { recordTasks } from './diagnostics/task-records.ts';
import { listerOf } from './generation/plan/routing.ts';
import { createImageRequests, type ImageRequests } from './image-requests/image-requests.ts';
import type { ImageEngine } from './images/image.ts';
import { createImageEngine } from './images/image-engine.ts';
import type { TraceLog } from './log/trace-log.ts';
import type { Metrics } from './metrics/metrics.ts';
import { createHttpClient } from './net/http-client.ts';
import { createModels } from './openai/models.ts';
import { createOpenAiImages } from './openai/openai-images.ts';
import { createPlans } from './plans/plans.ts';
import type { Clock } from './platform/clock.ts';
import type { Ids } from './platform/ids.ts';
import type { Task } from './platform/task.ts';
import type { TimeSlices } from './platform/time-slices.ts';
import { createPresets } from './presets/presets.ts';
import { createPriceList, type PriceList } from './prices/price-list.ts';
import { readPrices } from './prices/price-rows.ts';
import { pricedProviders } from './prices/priced-providers.ts';
import { SHIPPED_PRICES } from './prices/shipped-prices.ts';
import { createArtifactCredentials } from './provenance/artifact-credentials.ts';
import type { Credentials } from './provenance/credentials.ts';
import { createFirstAnswers } from './providers/catalogue/first-answers.ts';
import { openStateLogin } from './providers/credentials/open-state-login.ts';
import { enabledProviders } from './providers/enabled-providers.ts';
import { createProviderInventory } from './providers/inventory.ts';
import { createOwnProvider } from './providers/own/own-provider.ts';
import type { Provider } from './providers/provider-port.ts';
import { createProviderRegistry, type ProviderRegistry } from './providers/registry.ts';
import { createReplay } from './replay/replay.ts';
import { toReplayPolicies } from './replay/replay-policies.ts';
import type { Services } from './services.ts';
import type { openStores, Stores } from './storage/open-stores.ts';
import { type NamedTokens, NO_TOKENS } from './tokens/token.ts';
import type { Usage } from './usage/usage.ts';
import type { PostWebhook } from './webhooks/webhook-deliveries.ts';

export interface Outside {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: TraceLog;
  readonly metrics: Metrics;
  /** The latest replies of the listener, which is created before the application. */
  readonly events: EventRing;
  readonly facts: ServiceFacts;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The keys of webhook signatures; undefined if webhooks are disabled. */
  readonly webhookKeys: readonly Uint8Array[] | undefined;
  /** The tokens of `server.tokens_file`; none by default. */
  readonly tokens?: NamedTokens;
  /** Returns the folder for the images of a scope. By default, the images of all scopes are in the artifact root. */
  readonly ownerFolder?: OwnerFolder;
  /** Tasks in addition to the tasks of the application. */
  readonly tasks: readonly Task[];
  /** Replaces the function that opens the providers. */
  readonly openProviders?: typeof enabledProviders;
  /** Replaces the function that opens the stores. */
  readonly openStorage?: typeof openStores;
  /** Replaces the function that creates the image engine. */
  readonly createEngine?: typeof createImageEngine;
  /** Replaces the function that sends webhooks. */
  readonly postWebhook?: PostWebhook;
  /** Called once when the stores have become unusable and the process must end. Acknowledged writes are durable. */
  readonly onThreadFailure?: (error: unknown) => void;
}

/** All services except the services that the runtime creates from the route table and the files of the package. */
type AppServices = Omit<Services, 'apiDocument' | 'allowedMethods' | 'dashboard' | 'mcp'>;

export interface App {
  readonly services: AppServices;
  readonly images: ImageEngine;
  readonly tasks: readonly Task[];
  /** The task that keeps other processes from taking over the rows of this process. `tasks` contains the task too. */
  readonly leaseRenewal: Task;
  readonly worker: AppJobs['worker'];
  /** Resolves when all work whose client has disconnected has ended. When `grace` aborts, this work is cancelled. */
  drain(grace: AbortSignal): Promise<void>;
  /** Closes all objects in reverse order of their creation. */
  close(): Promise<void>;
}

/** The parts that are opened before all others. */
interface Opened {
  readonly credentials: Credentials;
  readonly slices: TimeSlices;
  readonly stores: Stores;
}

/**
 * Builds the objects of the application, in the order of dependencies, and closes the opened parts if this fails. Recovers the
 * unfinished work of an earlier process, and probes the providers. Throws `configuration`.
 */
export async function buildApp(
  config: Config,
  outside: Outside,
  { credentials, slices, stores }: Opened,
): Promise<App> {
  const { clock, metrics, tokens = NO_TOKENS } = outside;
  const httpClient = createHttpClient();
  const engine = openEngine(config, outside, slices);
  const shared = { engine, httpClient, slices, stores };
  const { enabled, registry, prices } = await openUpstreams(config, outside, shared);
  const artifacts = openArtifacts(config, outside, { stores, engine });
  const { publisher, delivery } = artifacts;
  const parts = { registry, prices, engine, credentials, stores, artifacts };
  const running = openRuns(config, { ...outside, tokens }, parts);
  const { admission, runs, sessions, usage } = running;
  const replay = openReplay(config, outside, stores);
  const cursors = createSealedCursors(stores.secret);
  const reconciliations = openReconciliations(registry, stores, cursors, outside);
  const appJobs = openJobs(config, outside, { ...running, stores, slices, artifacts, replay });
  const maxInputBytes = config.inputs.max_bytes_each;
  const served = { runs, publisher, replay, clock, slices, usage, maxInputBytes, tokens };
  const imageRequests = createImageRequests({ ...served, replyAsync: appJobs.replyAsync });
  const readiness = openReadiness(registry, { stores, appJobs, artifacts, clock });
  const own = [readiness.probe, ...artifacts.tasks, ...toTakeover(stores, { appJobs, artifacts })];
  const others = otherTasks({ stores, registry, usage, reconciliations }, outside);
  const { tasks, report } = recordTasks([...own, ...appJobs.tasks, ...others], outside);
  const diagnostics = createDiagnostics({
    facts: outside.facts,
    events: outside.events,
    config,
    clock,
    database: stores,
    artifacts: stores.artifacts,
    jobs: appJobs.state,
    webhooks: stores.webhooks,
    runtime: admission.snapshot,
    providers: readiness.providers,
    tasks: report,
  });

  const close = () =>
    endAll([replay, usage, registry, enabled, httpClient, engine, credentials, stores]);
  try {
    await recover({ appJobs, artifacts, readiness });
  } catch (error) {
    await close();
    throw error;
  }
  return {
    services: {
      imageRequests,
      presets: createPresets({ store: stores.presets, cursors, replay, clock }),
      sessions,
      usage,
      reconciliations,
      readiness,
      diagnostics,
      artifacts: delivery,
      artifactCredentials: createArtifactCredentials({ ...parts, artifacts: delivery }),
      providers: createProviderInventory({ registry, cursors }),
      ...openAi(config, { ...parts, imageRequests, running, readiness, clock }),
      ...appJobs.services,
      metrics: openExposition(metrics, { admission, appJobs, registry, readiness }),
    },
    images: engine,
    tasks,
    leaseRenewal: stores.leaseRenewal,
    worker: afterFirstAnswers(appJobs.worker, createFirstAnswers(registry.all, clock)),
    drain: replay.drain,
    close,
  };
}

/** Lets the jobs of earlier processes wait until the models that they were planned with are known. */
function afterFirstAnswers(
  worker: AppJobs['worker'],
  answered: ReturnType<typeof createFirstAnswers>,
): AppJobs['worker'] {
  return {
    ...worker,
    async runNext(signal) {
      await answered(signal);
      await worker.runNext(signal);
    },
    async serveResumed(signal) {
      await answered(signal);
      await worker.serveResumed(signal);
    },
  };
}

/** Recovers the unfinished work of an earlier process, and probes the providers. */
async function recover(parts: {
  readonly appJobs: Pick<AppJobs, 'recover'>;
  readonly artifacts: Pick<AppArtifacts, 'recover'>;
  readonly readiness: Pick<Readiness, 'probe'>;
}): Promise<void> {
  // Jobs are recovered first, because the recovery of artifacts removes files that belong to no job.
  await parts.appJobs.recover();
  await parts.artifacts.recover();
  // The probe runs before the first request, so that the readiness of the providers is known.
  await parts.readiness.probe.run(new AbortController().signal);
}

function openEngine(
  { images: limits }: Config,
  { clock, createEngine = createImageEngine }: Outside,
  slices: TimeSlices,
): ImageEngine {
  return createEngine({ limits, clock, slices });
}

/** Returns the task that ends the work of processes that have ended, if other processes can use the state. */
function toTakeover(
  { takeoverEveryMs: everyMs }: Pick<Stores, 'takeoverEveryMs'>,
  parts: { appJobs: Pick<AppJobs, 'takeOver'>; artifacts: Pick<AppArtifacts, 'takeOver'> },
): readonly Task[] {
  if (everyMs === undefined) return [];
  const run = async (): Promise<void> => {
    // Jobs come first, because their unfinished publications may become results.
    await parts.appJobs.takeOver();
    await parts.artifacts.takeOver();
  };
  return [{ name: 'takeover', everyMs, run }];
}

function otherTasks(
  parts: {
    readonly stores: Pick<Stores, 'leaseRenewal'>;
    readonly registry: Pick<ProviderRegistry, 'all'>;
    readonly usage: Pick<Usage, 'retention'>;
    readonly reconciliations: Pick<Reconciliations, 'retention'>;
  },
  { tasks }: Pick<Outside, 'tasks'>,
): readonly Task[] {
  const catalogues = parts.registry.all.flatMap(({ catalogue }) => catalogue?.refresh ?? []);
  const retentions = [parts.usage.retention, parts.reconciliations.retention];
  return [parts.stores.leaseRenewal, ...retentions, ...catalogues, ...tasks];
}

/** Closes the parts one after the other. */
async function endAll(parts: readonly { close(): Promise<void> }[]): Promise<void> {
  for (const part of parts) await part.close();
}

/** Opens the providers, after the login that they may find in the database. Closes the stores if this fails. */
async function openUpstreams(
  config: Config,
  { clock, ids, env, openProviders = enabledProviders }: Outside,
  {
    stores,
    ...shared
  }: Pick<Upstreams, 'engine' | 'httpClient' | 'slices'> & {
    readonly stores: Stores;
  },
) {
  const { httpClient } = shared;
  try {
    const outside = { store: stores.login, env, httpClient, clock, ids };
    const login = await openStateLogin(config, outside);
    const enabled = openProviders(config, { ...shared, clock, ids, env, login });
    return { enabled, ...openRegistry(config, enabled.providers) };
  } catch (error) {
    await stores.close();
    throw error;
  }
}

type Upstreams = Parameters<typeof enabledProviders>[1];

/** Opens the providers by name, with the prices of their models. */
function openRegistry(config: Config, providers: readonly Provider[]) {
  const { default_provider: name, runtime } = config;
  const registry = createProviderRegistry(
    providers,
    name,
    runtime.request,
    createOwnProvider({ maxBytes: config.inputs.max_bytes_each }),
  );
  const prices = createPriceList({
    operator: readPrices(runtime.prices_file),
    published: (provider, model) => registry.find(provider)?.catalogue?.tariffs(model) ?? [],
    shipped: SHIPPED_PRICES,
    providers: pricedProviders(config),
  });
  return { registry, prices };
}

function openReconciliations(
  registry: ProviderRegistry,
  { billing: store }: Stores,
  cursors: SealedCursors,
  { clock }: Outside,
) {
  return createReconciliations({ registry, store, cursors, clock });
}

function openReplay({ runtime }: Config, { clock, ids }: Outside, stores: Stores) {
  const policies = toReplayPolicies(runtime.idempotency);
  const store = stores.openReplay(policies);
  return createReplay({ store, policies, secret: stores.secret, clock, ids });
}

function openReadiness(
  { all: providers, defaultName: defaultProvider }: ProviderRegistry,
  deps: Pick<Outside, 'clock'> & {
    stores: Pick<Stores, 'probe'>;
    appJobs: Pick<AppJobs, 'isHealthy'>;
    artifacts: Pick<AppArtifacts, 'isReady' | 'probe'>;
  },
) {
  const { clock, stores, appJobs, artifacts } = deps;
  return createReadiness({
    providers,
    defaultProvider,
    probeStorage: artifacts.probe,
    isStateReady: async () => (await stores.probe()) && appJobs.isHealthy() && artifacts.isReady(),
    clock,
  });
}

function openAi(
  config: Config,
  parts: Pick<Outside, 'clock'> & {
    imageRequests: ImageRequests;
    running: Pick<ReturnType<typeof openRuns>, 'planRoutes' | 'admission'>;
    readiness: Pick<Readiness, 'findProviderFault'>;
    registry: ProviderRegistry;
    prices: PriceList;
    credentials: Pick<Credentials, 'scope'>;
  },
) {
  const { imageRequests, running, readiness, registry, prices, credentials, clock } = parts;
  const { planRoutes, admission } = running;
  const models = createModels({
    providers: () =>
      registry.all.map((each) => ({ name: each.name, models: each.describe().models })),
    providerOf: (model) => listerOf(model, registry)?.name,
    aliases: config.server.compat.model_aliases,
    clock,
  });
  const limits = toRequestLimits(
    config,
    registry.all.map(({ name }) => name),
  );
  return {
    models,
    openAiImages: createOpenAiImages({ imageRequests, models, limits }),
    plans: createPlans({
      planRoutes,
      prices,
      signs: credentials.scope !== undefined,
      findFault: (provider) =>
        readiness.findProviderFault(provider) ?? admission.findRefusal(provider),
      models,
      limits,
    }),
  };
}

/** Creates the exposition of the metrics, which reads gates, providers, jobs and readiness at each scrape. */
function openExposition(
  metrics: Pick<Metrics, 'exposition'>,
  parts: {
    admission: Pick<Admission, 'snapshot'>;
    appJobs: Pick<AppJobs, 'state'>;
    registry: ProviderRegistry;
    readiness: Pick<Readiness, 'isReady'>;
  },
) {
  const { admission, appJobs, registry, readiness } = parts;
  const sumOf = (countOf: (provider: Provider) => number | undefined) =>
    registry.all.reduce((sum, provider) => sum + (countOf(provider) ?? 0), 0);
  return {
    async exposition(): Promise<string> {
      const { byStatus } = await appJobs.state.totals();
      return metrics.exposition({
        runtime: admission.snapshot(),
        jobs: byStatus,
        providerRestarts: sumOf((provider) => provider.restarts?.()),
        providerSkippedLines: sumOf((provider) => provider.skippedLines?.()),
        catalogueAges: registry.all.flatMap(({ name, catalogue }) => {
          const ageSecs = catalogue?.ageSecs();
          return ageSecs === undefined ? [] : [{ provider: name, ageSecs }];
        }),
        isReady: await readiness.isReady(),
      });
    },
  };
}
