import { type Route, routes } from '../handlers/routes.ts';
import { createApp } from '../lib/app.ts';
import type { Config } from '../lib/config/settings/settings.ts';
import { BridgeError } from '../lib/errors/bridge-error.ts';
import { encodeJson } from '../lib/http/reply/encode-json.ts';
import type { Services } from '../lib/services.ts';
import { createDashboardFiles, dashboardFolder } from './dashboard-files.ts';
import { allowedMethods } from './listener/mount-routes.ts';
import { lockStateDirectory } from './locks/state-lock.ts';
import { startTasks } from './task-loop.ts';
import { startWorkerLoop } from './worker-loop.ts';

export interface OpenApp {
  readonly services: Services;
  /** Resolves when no work runs any more whose client has disconnected. When `grace` aborts, such work is ended. */
  drain(grace: AbortSignal): Promise<void>;
  /** Ends the tasks, then closes everything in reverse order of its creation, and unlocks the state directory. */
  close(): Promise<void>;
}

/**
 * Builds the app in the locked state directory and starts its workers and tasks. Throws `configuration` when another
 * process uses the directory.
 */
export async function openApp(
  config: Config,
  mounted: readonly Route[],
  outside: Parameters<typeof createApp>[1],
): Promise<OpenApp> {
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
      services: {
        ...app.services,
        apiDocument,
        allowedMethods: allowedMethods(mounted),
        dashboard: createDashboardFiles(dashboardFolder()),
      },
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

/** Built at the first request for it. */
async function writeApiDocument(version: string): Promise<Uint8Array> {
  const { buildOpenApiDocument } = await import('./openapi/build-document.ts');
  return encodeJson(buildOpenApiDocument(routes, version));
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
