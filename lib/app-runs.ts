import { type Admission, createAdmission } from './admission/admission.ts';
import type { AppArtifacts } from './app-artifacts.ts';
import type { Config } from './config/settings/settings.ts';
import { createGeneration } from './generation/generation.ts';
import { createPlanRoutes } from './generation/plan-routes.ts';
import type { ImageEngine } from './images/image.ts';
import { createInputForecast } from './inputs/input-forecast.ts';
import { createInputLoader } from './inputs/load-input.ts';
import { createInputVerifier, type InputVerifier } from './inputs/verify-inputs.ts';
import type { TraceLog } from './log/trace-log.ts';
import type { Metrics } from './metrics/metrics.ts';
import { createRemoteFetch } from './net/remote-fetch.ts';
import type { Clock } from './platform/clock.ts';
import type { Ids } from './platform/ids.ts';
import type { PriceList } from './prices/price-list.ts';
import type { Credentials } from './provenance/credentials.ts';
import type { ProviderRegistry } from './providers/registry.ts';
import { createImageRuns, createRecentDurations } from './runs/image-run.ts';
import { createSessionLocks, createSessions, createSessionTurns } from './sessions/sessions.ts';
import type { Stores } from './storage/open-stores.ts';
import { createUsage } from './usage/usage.ts';
import type { NamedPayers } from './usage/usage-report.ts';

interface Outside {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: TraceLog;
  readonly metrics: Metrics;
  readonly tokens: NamedPayers;
}

interface RunParts {
  readonly registry: ProviderRegistry;
  readonly prices: PriceList;
  readonly engine: ImageEngine;
  readonly credentials: Credentials;
  readonly stores: Pick<
    Stores,
    'storedInputs' | 'sessions' | 'artifacts' | 'usage' | 'ledger' | 'permits'
  >;
  readonly artifacts: Pick<AppArtifacts, 'delivery' | 'publisher'>;
}

/** Builds the objects of an image run: inputs, admission and the generation. */
export function openRuns(config: Config, outside: Outside, parts: RunParts) {
  const { clock, ids, log, metrics, tokens } = outside;
  const { registry, prices, engine, credentials } = parts;
  const { publisher } = parts.artifacts;
  const inputs = openInputs(config, clock, parts);
  const { permits } = parts.stores;
  const admission = openAdmission(config, registry, { ...outside, permits });
  const locks = createSessionLocks();
  const { sessions: store, artifacts, ledger } = parts.stores;
  const turns = createSessionTurns({ store, locks });
  const { inputs: limits, images: imageLimits } = config;
  const forecast = createInputForecast({ artifacts, limits, imageLimits });
  const generation = createGeneration({
    registry,
    prices,
    sessions: turns,
    admission,
    metrics,
    engine,
    credentials,
    inputs,
    publisher,
    permits,
    clock,
    ids,
    settings: config.runtime,
  });
  const durations = createRecentDurations();
  return {
    inputs,
    admission,
    usage: createUsage({ clock, ids, log, tokens, store: parts.stores.usage, ledger }),
    generation,
    planRoutes: createPlanRoutes({ registry, sessions: turns, inputs: forecast }),
    runs: createImageRuns({ generation, publisher, log, durations }),
    durations,
    sessions: createSessions({ store, locks, findProvider: registry.find }),
  };
}

function openInputs(
  { inputs, images }: Config,
  clock: Clock,
  { engine, stores, artifacts }: RunParts,
): InputVerifier {
  const { remote } = inputs;
  const { max_pixels, max_edge, max_request_pixels } = images;
  const limits = { ...inputs, max_pixels, max_edge, max_request_pixels };
  const loader = createInputLoader({
    artifacts: artifacts.delivery,
    stored: stores.storedInputs,
    fetchRemote: remote.enabled ? createRemoteFetch({ policy: remote, clock }) : undefined,
  });
  return createInputVerifier({ engine, loader, limits });
}

function openAdmission(
  { runtime }: Config,
  registry: ProviderRegistry,
  { clock, metrics, permits }: Pick<Outside, 'clock' | 'metrics'> & Pick<Stores, 'permits'>,
): Admission {
  return createAdmission({
    runtime,
    clock,
    permits,
    providers: registry.all.map(({ name }) => name),
    hooks: {
      onTransition: metrics.circuitTransition,
      onRejection: metrics.circuitRejected,
    },
  });
}
