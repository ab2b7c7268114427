import { join } from 'node:path';
import { type App, createApp } from '../../lib/app.ts';
import { loadConfig } from '../../lib/config/load-config.ts';
import type { Config } from '../../lib/config/settings/settings.ts';
import { createEventRing } from '../../lib/diagnostics/event-ring.ts';
import { createTraceLog } from '../../lib/log/trace-log.ts';
import { silentMetrics } from '../../lib/metrics/metrics.ts';
import { type Clock, systemClock } from '../../lib/platform/clock.ts';
import { createIds } from '../../lib/platform/ids.ts';
import type { Provider } from '../../lib/providers/provider-port.ts';
import { openStores } from '../../lib/storage/open-stores.ts';
import { openDrivers } from './drivers.ts';

interface Options {
  /** Folder of the state and the artifacts. */
  readonly folder: string;
  readonly providers: readonly Provider[];
  readonly defaultProvider: Config['default_provider'];
  /** Settings in the form `name=value`. */
  readonly set?: readonly string[];
  /** Clock, and the function that opens the stores. By default those of the service. */
  readonly seams?: Pick<Outside, 'openStorage'> & { readonly clock?: Clock };
}

const drivers = await openDrivers();

type Outside = Parameters<typeof createApp>[1];

/** Opens the whole application in this process, without a listener, with the providers of a test. */
export async function openApp({ folder, set = [], seams = {}, ...options }: Options): Promise<App> {
  const { clock = systemClock, ...storage } = seams;
  const folders = [`state.directory=${folder}`, `artifacts.root=${join(folder, 'artifacts')}`];
  const env = drivers.variables(folder);
  const loaded = await loadConfig({ env, cwd: folder, set: [...folders, ...set] });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  return createApp(
    { ...loaded.config, default_provider: options.defaultProvider },
    {
      // Without threads, each of which takes as long to start as the rest of the application.
      openStorage: (settings, outside) => openStores(settings, { ...outside, thread: false }),
      ...storage,
      clock,
      ids: createIds(clock.nowMs),
      metrics: silentMetrics,
      env,
      webhookKeys: undefined,
      tasks: [],
      events: createEventRing({ clock }),
      log: createTraceLog(() => {}),
      facts: {
        version: '0.0.0',
        listener: { scope: 'loopback', port: 0 },
        authenticationRequired: false,
        origins: [],
      },
      openProviders: () => ({ providers: options.providers, close: async () => {} }),
    },
  );
}
