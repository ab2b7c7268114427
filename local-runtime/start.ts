import { type Route, routes } from '../handlers/routes.ts';
import { createApp } from '../lib/app.ts';
import type { FieldOrigin } from '../lib/config/resolve-config.ts';
import type { Config } from '../lib/config/settings/settings.ts';
import { isLoopbackHost, parseAuthority } from '../lib/config/values/addresses.ts';
import { toRequestLimits } from '../lib/contract/schema/request-limits.ts';
import type { ServiceFacts } from '../lib/diagnostics/diagnostics.ts';
import { BridgeError } from '../lib/errors/bridge-error.ts';
import { createAccess } from '../lib/http/access.ts';
import { encodeJson } from '../lib/http/encode-json.ts';
import type { HttpSettings } from '../lib/http/http-event.ts';
import type { TraceLog } from '../lib/log/trace-log.ts';
import { stayAwake, systemClock } from '../lib/platform/clock.ts';
import { createIds } from '../lib/platform/ids.ts';
import type { Services } from '../lib/services.ts';
import { refuseForeignStores } from '../lib/storage/open-stores.ts';
import { resolveBearer } from './bearer.ts';
import { createListener } from './listener.ts';
import { allowedMethods } from './mount-routes.ts';
import { openObservation } from './observation.ts';
import { packageVersion } from './package-version.ts';
import { lockStateDirectory } from './state-lock.ts';
import { startTasks } from './task-loop.ts';
import { startWorkerLoop } from './worker-loop.ts';

interface Outside {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: TraceLog;
  /** Where each setting of the configuration comes from. */
  readonly origins: readonly FieldOrigin[];
}

export interface RunningBridge {
  /** Where it listens, without a slash at the end. */
  readonly address: string;
  /** Ends in order: no new work, what runs gets its grace, then everything closes, last built first. */
  stop(): Promise<void>;
}

interface House {
  readonly services: Services;
  /** Resolves when no work runs whose client has left; what is left at the end of the grace is ended. */
  drain(grace: AbortSignal): Promise<void>;
  /** Ends what runs by itself, then everything else, last built first. */
  close(): Promise<void>;
}

/**
 * Starts the bridge. Each step can refuse and takes back the steps before it; nothing on disk changes before the port is
 * ours and the database in the state directory is one that we know. Throws `configuration` with one sentence.
 */
export async function startBridge(config: Config, outside: Outside): Promise<RunningBridge> {
  const clock = systemClock;
  const { env, log } = outside;
  const ids = createIds(clock.nowMs);
  const version = packageVersion();
  const bearer = resolveBearer(config.server.bearer_token_env, env);
  refuseForeignStores(config);

  const mounted = routes.filter(({ setting }) => setting === undefined || isOn(setting, config));
  const observation = await openObservation({ config, routes: mounted, clock, version });
  const { metrics, events, observer } = observation;
  const httpSettings = toHttpSettings(config, bearer, { clock, ids, observer, log });
  const { services, opened, failed } = pending<Services>();
  const listener = createListener({
    routes: mounted,
    httpSettings,
    services,
    settings: config.server,
  });
  const { host = '127.0.0.1', port = 0 } = parseAuthority(config.server.bind) ?? {};
  const taken = await listener.listen({ host, port });
  try {
    const facts: ServiceFacts = {
      version,
      listener: { scope: isLoopbackHost(host) ? 'loopback' : 'remote', port: taken },
      authenticationRequired: bearer !== undefined,
      origins: outside.origins,
    };
    const house = await openHouse(config, mounted, {
      clock,
      ids,
      log,
      metrics,
      events,
      facts,
      env,
    });
    opened(house.services);
    return {
      address: `http://${host.includes(':') ? `[${host}]` : host}:${taken}`,
      async stop() {
        const graceMs = config.runtime.shutdown_grace_ms;
        const grace = new AbortController();
        const cancel = clock.after(graceMs, () => grace.abort());
        // Work that nobody waits for holds no socket.
        const rest = stayAwake();
        // Work whose client has left runs beside what the listener still answers, in the same grace.
        await Promise.all([listener.stop(graceMs), house.drain(grace.signal)]);
        cancel();
        await house.close();
        rest();
      },
    };
  } catch (error) {
    failed(error);
    await listener.stop(0);
    throw error;
  }
}

async function openHouse(
  config: Config,
  mounted: readonly Route[],
  outside: Parameters<typeof createApp>[1],
): Promise<House> {
  const lock = lockStateDirectory(config.state.directory);
  if (!lock.ok) {
    throw new BridgeError('configuration', 'state.directory: another process is using it');
  }
  try {
    const app = await createApp(config, outside);
    const tasks = startTasks(app.tasks, outside.clock);
    const { enabled, max_running } = config.server.jobs;
    const workers = enabled ? startWorkerLoop(app.worker, max_running) : undefined;
    const apiDocument = once(() => writeApiDocument(outside.facts.version));
    return {
      services: { ...app.services, apiDocument, allowedMethods: allowedMethods(mounted) },
      async drain(grace) {
        await Promise.all([app.drain(grace), workers?.drain(grace)]);
      },
      async close() {
        await tasks.stop();
        await app.close();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Loaded when somebody asks for it: nothing that listening needs. */
async function writeApiDocument(version: string): Promise<Uint8Array> {
  const { buildOpenApiDocument } = await import('./openapi.ts');
  return encodeJson(buildOpenApiDocument(routes, version));
}

/** Whether the setting that a route hangs on is on. */
function isOn(setting: NonNullable<Route['setting']>, { server }: Config): boolean {
  switch (setting) {
    case 'server.metrics.enabled':
      return server.metrics.enabled;
    case 'server.jobs.enabled':
      return server.jobs.enabled;
  }
}

function toHttpSettings(
  config: Config,
  bearer: string | undefined,
  outside: Pick<HttpSettings, 'clock' | 'ids' | 'observer' | 'log'>,
): HttpSettings {
  const { server } = config;
  const publicBaseUrl = server.public_base_url?.replace(/\/+$/, '');
  const publicHost = publicBaseUrl === undefined ? [] : [new URL(publicBaseUrl).host];
  const hosts = [server.bind, ...publicHost, ...server.allowed_hosts];
  return {
    ...outside,
    access: createAccess({ bearer, hosts }),
    maxBodyBytes: server.max_body_bytes,
    limits: toRequestLimits(config),
    publicBaseUrl,
  };
}

/** A promise that is settled from outside; a failure that nobody waited for is no failure of the process. */
function pending<T>() {
  let opened: (value: T) => void = () => {};
  let failed: (reason: unknown) => void = () => {};
  const services = new Promise<T>((resolve, reject) => {
    opened = resolve;
    failed = reject;
  });
  services.catch(() => {});
  return { services, opened, failed };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
