import { type Route, routes } from '../../handlers/routes.ts';
import { createOwnerFolder } from '../../lib/artifacts/artifact-names.ts';
import type { FieldOrigin } from '../../lib/config/resolve-config.ts';
import type { Config } from '../../lib/config/settings/settings.ts';
import { isLoopbackHost, parseAuthority } from '../../lib/config/values/addresses.ts';
import type { ServiceFacts } from '../../lib/diagnostics/diagnostics.ts';
import { unnamedScope } from '../../lib/http/access.ts';
import type { TraceLog } from '../../lib/log/trace-log.ts';
import { stayAwake, systemClock } from '../../lib/platform/clock.ts';
import { createIds } from '../../lib/platform/ids.ts';
import type { Services } from '../../lib/services.ts';
import { type openStores, refuseForeignStores } from '../../lib/storage/open-stores.ts';
import { openTokenFile } from '../../lib/tokens/token-file.ts';
import { readWebhookSecrets } from '../../lib/webhooks/webhook-secrets.ts';
import { resolveBearer } from './bearer.ts';
import { freeMemory } from './free-memory.ts';
import { createListener } from './listener/listener.ts';
import { toHttpSettings } from './listener/to-http-settings.ts';
import { openObservation } from './observation.ts';
import { openApp } from './open-app.ts';
import { packageVersion } from './package-version.ts';

interface Outside {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: TraceLog;
  /** The source of each setting of the configuration. */
  readonly origins: readonly FieldOrigin[];
  /** Opens the stores. */
  readonly openStorage: typeof openStores;
  /** Called once if the stores cannot be used any more. The process must end. All acknowledged work is durable. */
  readonly onStorageFailure: (error: unknown) => void;
}

export interface RunningBridge {
  /** The URL of the listener, without a slash at the end. */
  readonly address: string;
  /** The URL of the dashboard; undefined if jobs are disabled. */
  readonly dashboard: string | undefined;
  /** Rejects new work, waits for running work up to the grace period, then closes everything in reverse order. */
  stop(): Promise<void>;
}

/**
 * Starts the bridge. If a step fails, undoes the earlier steps. Changes nothing on disk until the database is known to have
 * a supported schema and the port is bound. Throws `configuration` with one sentence.
 */
export async function startBridge(config: Config, outside: Outside): Promise<RunningBridge> {
  const clock = systemClock;
  const { env, log, openStorage, onStorageFailure } = outside;
  const ids = createIds(clock.nowMs);
  const version = packageVersion();
  const { bearer_token_env: variable, tokens_file: path } = config.server;
  const bearer = resolveBearer(variable, env);
  const named = path === undefined ? undefined : openTokenFile({ path, clock, log });
  const webhookKeys = readWebhookSecrets(config.server.webhooks, env);
  refuseForeignStores(config);

  const mounted = routes.filter(({ setting }) => setting === undefined || isOn(setting, config));
  const observation = await openObservation({ config, routes: mounted, clock, version });
  const { metrics, events, observer } = observation;
  const httpSettings = toHttpSettings(config, { bearer, named }, { clock, ids, observer, log });
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
      authenticationRequired: bearer !== undefined || named !== undefined,
      origins: outside.origins,
    };
    const app = await openApp(config, mounted, {
      clock,
      ids,
      log,
      metrics,
      events,
      facts,
      env,
      webhookKeys,
      ...(named ? { tokens: named, ownerFolder: createOwnerFolder(unnamedScope(bearer)) } : {}),
      httpSettings,
      openStorage,
      onThreadFailure: onStorageFailure,
      tasks: [...(named ? [named.task] : []), freeMemory()],
    });
    opened(app.services);
    const address = `http://${host.includes(':') ? `[${host}]` : host}:${taken}`;
    return {
      address,
      dashboard: config.server.jobs.enabled ? `${address}/dashboard` : undefined,
      async stop() {
        const graceMs = config.runtime.shutdown_grace_ms;
        const grace = new AbortController();
        const cancel = clock.after(graceMs, () => grace.abort());
        // Keeps the process alive for work whose client has disconnected, because such work has no socket.
        const release = stayAwake();
        try {
          // Requests of connected clients, and work whose client has disconnected, share one grace period.
          await Promise.all([listener.stop(graceMs), app.drain(grace.signal)]);
          await app.close();
        } finally {
          cancel();
          release();
        }
      },
    };
  } catch (error) {
    failed(error);
    await listener.stop(0);
    throw error;
  }
}

/** Returns true if the setting that enables a route is on. */
function isOn(setting: NonNullable<Route['setting']>, { server }: Config): boolean {
  switch (setting) {
    case 'server.metrics.enabled':
      return server.metrics.enabled;
    case 'server.mcp.enabled':
      return server.mcp.enabled;
    case 'server.jobs.enabled':
      return server.jobs.enabled;
  }
}

/** Creates a promise that the caller settles. A rejection without a listener does not end the process. */
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
