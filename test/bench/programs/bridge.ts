import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { routes } from '../../../handlers/routes.ts';
import { createApp } from '../../../lib/app.ts';
import { loadConfig } from '../../../lib/config/load-config.ts';
import { unnamedCaller } from '../../../lib/contract/request/caller.ts';
import { createTraceLog } from '../../../lib/log/trace-log.ts';
import { sleep, systemClock } from '../../../lib/platform/clock.ts';
import type { Provider } from '../../../lib/providers/provider-port.ts';
import { capabilitiesOf } from '../../../lib/providers/sandbox/capabilities.ts';
import { createSandboxProvider } from '../../../lib/providers/sandbox/provider.ts';
import type { Services } from '../../../lib/services.ts';
import { createDashboardFiles } from '../../../local-runtime/server/dashboard-files.ts';
import { createListener } from '../../../local-runtime/server/listener/listener.ts';
import { allowedMethods } from '../../../local-runtime/server/listener/route-paths.ts';
import { lockStateDirectory } from '../../../local-runtime/server/locks/state-lock.ts';
import { applyHeapSettings } from '../../../local-runtime/server/memory-settings.ts';
import { openObservation } from '../../../local-runtime/server/observation.ts';
import { openHttpSettings } from '../../support/invoke.ts';
import { programOptions, reportPort } from './measured-server.ts';

/** A bridge built by `lib/app.ts`, except for a provider that returns one image. */
export interface BridgeOptions {
  readonly folder: string;
  /** Path of a PNG. */
  readonly imageFile: string;
  readonly cacheBytes?: number;
  /** Path of the unfinished image, for requests of partial images. */
  readonly partialFile?: string;
  /** Time that the provider takes. By default it replies at once. */
  readonly latencyMs?: number;
  /** True if any text is a valid token with jobs of its own. */
  readonly hasManyTokens?: boolean;
}

const {
  folder,
  imageFile,
  cacheBytes = 134_217_728,
  partialFile,
  latencyMs = 0,
  hasManyTokens = false,
} = programOptions<BridgeOptions>();

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
      `artifacts.cache_bytes=${cacheBytes}`,
    ],
  });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  return loaded.config;
}

// Long enough that the end does not coincide with the unfinished image.
const WATCHING_MS = 100;

applyHeapSettings();
const config = await readConfig();
const observing = { config, routes, clock: systemClock, version: '0.0.0' };
const { metrics, events, observer } = await openObservation(observing);
const access = {
  authenticate: (token?: string) => (token === undefined ? undefined : unnamedCaller(token)),
  watch: () => () => {},
  isOurHost: () => true,
};
const httpSettings = openHttpSettings({
  maxBodyBytes: config.server.max_body_bytes,
  observer,
  ...(hasManyTokens ? { access } : {}),
});
const { clock, ids } = httpSettings;
lockStateDirectory(config.state.directory);

const image = await readFile(imageFile);
const partial = partialFile === undefined ? undefined : await readFile(partialFile);
// The log formats its lines, and the destination discards them at no cost.
const nowhere = () => {};

const app = await createApp(config, {
  clock,
  ids,
  metrics,
  events,
  env: {},
  webhookKeys: undefined,
  tasks: [],
  log: createTraceLog(nowhere),
  facts: {
    version: observing.version,
    listener: { scope: 'loopback', port: 0 },
    authenticationRequired: false,
    origins: [],
  },
  openProviders(_config, { engine }) {
    const sandbox = createSandboxProvider({
      name: 'sandbox',
      settings: { enabled: true, latency_ms: 0 },
      engine,
      clock,
    });
    const prepared: Provider = {
      ...sandbox,
      capabilities: (model) => capabilitiesOf('sandbox', model),
      async execute({ indices, parameters }, { onEvent, signal }) {
        onEvent({ type: 'progress', stage: 'dispatched' });
        if (latencyMs > 0) await sleep(clock, latencyMs, signal);
        if (partial && parameters.partial_images > 0) {
          // The second event is sent right after the first, so that the time between them for a reader is the delay.
          onEvent({ type: 'progress', stage: 'generating', index: 0 });
          onEvent({ type: 'partial_image', index: 0, partialIndex: 0, bytes: partial });
          await sleep(clock, WATCHING_MS, signal);
        }
        return { outputs: indices.map(() => ({ bytes: image })) };
      },
    };
    return { providers: [prepared], close: async () => {} };
  },
});
const services: Services = {
  ...app.services,
  readiness: { isReady: async () => true },
  apiDocument: () => Buffer.alloc(0),
  allowedMethods: allowedMethods(routes),
  dashboard: createDashboardFiles(undefined),
  mcp: { handle: () => Promise.reject(new Error('the agents are not served here')) },
};
const listener = createListener({
  routes,
  httpSettings,
  services: Promise.resolve(services),
  settings: config.server,
});
reportPort(await listener.listen({ host: '127.0.0.1', port: 0 }));
