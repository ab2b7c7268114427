import { toJobsError } from '../client/error-reply.ts';
import { isLive } from '../client/liveness.ts';
import { findService } from '../client/service-address.ts';
import { withService } from '../client/with-service.ts';
import type { CommandIo } from '../command-io.ts';
import type { Call } from '../command-table/command.ts';
import type { ConfigurationOptions } from '../command-table/configuration-options.ts';
import type { ServiceOption } from '../command-table/service-options.ts';
import { QUICKSTART_PRESETS } from '../quickstart-presets.ts';
import { openBrowser } from '../terminal/open-browser.ts';

type DashboardCall = Call<unknown, ConfigurationOptions & ServiceOption>;

/**
 * `image-bridge dashboard`: opens the page of a running service. Without one, and without an address of another one, it
 * serves itself until it is stopped. Resolves to the exit code.
 */
export async function runDashboard(call: DashboardCall): Promise<number> {
  const { options, io } = call;
  const isNamed = (options.url ?? io.env['IMAGE_BRIDGE_URL']) !== undefined;
  if (isNamed || (await isRunning(call))) {
    return withService(call, async (service) => {
      await service.reply('/dashboard', { method: 'HEAD' }).catch((error) => {
        throw toJobsError(error);
      });
      show(`${service.url}/dashboard`, io);
      return 0;
    });
  }
  // The whole bridge is loaded only where it is to run here.
  const { serveUntilStopped } = await import('./serve.ts');
  return serveUntilStopped(
    { args: {}, options: { ...options, noWait: false }, io },
    {
      presets: QUICKSTART_PRESETS,
      greeting({ address, dashboard }) {
        if (dashboard !== undefined) openBrowser(dashboard, io);
        const page = dashboard ?? 'none: server.jobs.enabled is off';
        return `image-bridge listens on ${address}\nThe dashboard: ${page}\nCtrl+C stops the bridge.\n`;
      },
    },
  );
}

async function isRunning({ options, io }: DashboardCall): Promise<boolean> {
  const found = await findService(options.url, io, { ...options, presets: QUICKSTART_PRESETS });
  return found.ok && isLive(found.address.url, new AbortController().signal);
}

function show(page: string, io: CommandIo): void {
  io.stdout(`${page}\n`);
  openBrowser(page, io);
}
