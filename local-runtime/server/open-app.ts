import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Route } from '../../handlers/routes.ts';
import { createApp } from '../../lib/app.ts';
import type { Config } from '../../lib/config/settings/settings.ts';
import { BridgeError } from '../../lib/errors/bridge-error.ts';
import type { HttpSettings } from '../../lib/http/http-event.ts';
import { createOnce } from '../../lib/platform/once.ts';
import type { Services } from '../../lib/services.ts';
import { inspectState } from '../../lib/storage/inspect-state.ts';
import { nameDamage } from '../../lib/storage/open-stores.ts';
import type { createMcpEndpoint } from '../mcp/mcp-endpoint.ts';
import { createDashboardFiles, dashboardFolder } from './dashboard-files.ts';
import { readDocument } from './documents.ts';
import { allowedMethods } from './listener/route-paths.ts';
import { lockStateDirectory } from './locks/state-lock.ts';
import { startTasks } from './task-loop.ts';
import { startWorkerLoop } from './worker-loop.ts';

type Outside = Parameters<typeof createApp>[1] & {
  readonly httpSettings: HttpSettings;
  /** False for a process that stops between requests, as a function does. Such a process starts no worker and no task. */
  readonly runsInBackground?: boolean;
};

/**
 * Locks the state directory if only one process may serve the state, builds the app, and starts its workers and tasks. Throws
 * `configuration` if another process uses the directory.
 */
export async function openApp(
  config: Config,
  mounted: readonly Route[],
  { httpSettings, runsInBackground = true, ...outside }: Outside,
) {
  const { lockedFolder } = await inspectState(config, outside.env);
  const lock = lockedFolder === undefined ? undefined : lockStateDirectory(lockedFolder);
  if (lock?.ok === false) {
    throw new BridgeError('configuration', `state.directory: ${lock.holder}`);
  }
  try {
    const app = await createApp(config, outside);
    const tasks = startTasks(runsInBackground ? app.tasks : [], outside.clock);
    const { enabled, max_running } = config.server.jobs;
    const works = enabled && runsInBackground && config.replica.work;
    const workers = works ? startWorkerLoop(app.worker, max_running) : undefined;
    const { version } = outside.facts;
    const apiDocument = createOnce(() => readDocument('openapi.json')).get;
    const mcp = createOnce(() =>
      openMcpEndpoint({
        routes: mounted,
        services: () => services,
        httpSettings,
        images: app.images,
        version,
        keepsSessions: lockedFolder !== undefined,
      }),
    );
    const services: Services = {
      ...app.services,
      apiDocument,
      allowedMethods: allowedMethods(mounted),
      dashboard: createDashboardFiles(dashboardFolder()),
      mcp: { handle: async (call) => (await mcp.get()).handle(call) },
    };
    return {
      services,
      leaseRenewal: app.leaseRenewal,
      /** Does work that a first request would otherwise wait for. Never rejects, because the first request tries again. */
      async prepare(): Promise<void> {
        if (!config.server.mcp.enabled) return;
        await mcp
          .get()
          .then((endpoint) => endpoint.prepare())
          .catch(() => {});
      },
      /** Waits for running jobs and for work whose client has disconnected. If `grace` aborts, ends this work. */
      async drain(grace: AbortSignal): Promise<void> {
        await Promise.all([app.drain(grace), workers?.drain(grace)]);
      },
      /** Stops the tasks, closes everything in reverse order of creation, then unlocks the state directory. */
      async close(): Promise<void> {
        await tasks.stop();
        await (await mcp.made()?.catch(() => undefined))?.close();
        await app.close();
        lock?.release();
      },
    };
  } catch (error) {
    lock?.release();
    throw nameDamage(error, config);
  }
}

/**
 * Creates the MCP endpoint. The MCP library is loaded by `prepare`, or at the first request. Its largest parts are loaded first,
 * each in a separate turn of the event loop, because loading all parts in one turn would block other requests.
 */
async function openMcpEndpoint(deps: Parameters<typeof createMcpEndpoint>[0]) {
  // Node loads its implementation of `fetch` when this name is read for the first time.
  void globalThis.Request;
  await nextTurn();
  await import('@modelcontextprotocol/core');
  await nextTurn();
  return (await import('../mcp/mcp-endpoint.ts')).createMcpEndpoint(deps);
}
