import type { FieldOrigin } from '../../lib/config/resolve-config.ts';
import type { Config } from '../../lib/config/settings/settings.ts';
import { isLoopbackHost, parseAuthority } from '../../lib/config/values/addresses.ts';
import type { ServiceFacts } from '../../lib/diagnostics/diagnostics.ts';
import type { TraceLog } from '../../lib/log/trace-log.ts';
import { stayAwake } from '../../lib/platform/clock.ts';
import type { Services } from '../../lib/services.ts';
import { type openStores, refuseForeignStores } from '../../lib/storage/open-stores.ts';
import { freeMemory } from './free-memory.ts';
import { createListener } from './listener/listener.ts';
import { openApp } from './open-app.ts';
import { prepare } from './prepare.ts';

interface Outside {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: TraceLog;
  /** The source of each setting of the configuration. */
  readonly origins: readonly FieldOrigin[];
  /** Opens the stores. */
  readonly openStorage: typeof openStores;
  /** Called once if the stores can no longer be used. The process must end. All acknowledged work is durable. */
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
  const { env, log, openStorage, onStorageFailure } = outside;
  const prepared = await prepare(config, { env, log });
  await refuseForeignStores(config, env);
  const { mounted, version, named, authenticationRequired } = prepared;
  const { clock, httpSettings } = prepared.outside;
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
      authenticationRequired,
      origins: outside.origins,
    };
    const app = await openApp(config, mounted, {
      ...prepared.outside,
      facts,
      openStorage,
      onThreadFailure: onStorageFailure,
      tasks: [...(named ? [named.task] : []), freeMemory(clock)],
    });
    opened(app.services);
    void app.prepare();
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
