import { spawn } from 'node:child_process';
import { isLive } from '../../client/liveness.ts';
import { toJobsError } from '../../client/service-error.ts';
import type { CommandIo } from '../command-io.ts';
import type { Call } from '../command-table/command.ts';
import type { ConfigurationOptions, ServiceOption } from '../command-table/options.ts';
import { QUICKSTART_PRESETS } from '../quickstart-presets.ts';
import { findService, withService } from '../with-service.ts';

type DashboardCall = Call<unknown, ConfigurationOptions & ServiceOption>;

/**
 * Opens the dashboard of the running service. If no service is running and no URL is set, starts a service and runs until a
 * signal stops the process. Resolves with the exit code.
 */
export async function runDashboard(call: DashboardCall): Promise<number> {
  const { options, io } = call;
  const isNamed = (options.url ?? io.env['IMAGE_BRIDGE_URL']) !== undefined;
  if (isNamed || (await isRunning(call))) {
    return withService(call, async (service) => {
      await service.reply('/dashboard', { method: 'HEAD' }).catch((error) => {
        throw toJobsError(error);
      });
      const page = `${service.url}/dashboard`;
      io.stdout(`${page}\n`);
      openBrowser(page, io);
      return 0;
    });
  }
  // Loaded only if a service starts in this process, because the modules of the service load slowly.
  const { serveUntilStopped } = await import('./serve.ts');
  return serveUntilStopped(
    { args: {}, options: { ...options, noWait: false }, io },
    {
      presets: QUICKSTART_PRESETS,
      greeting({ address, dashboard }) {
        if (dashboard !== undefined) openBrowser(dashboard, io);
        const page = dashboard ?? 'disabled, because server.jobs.enabled is off';
        return `image-bridge listens on ${address}\nDashboard: ${page}\nCtrl+C stops the bridge.\n`;
      },
    },
  );
}

async function isRunning({ options, io }: DashboardCall): Promise<boolean> {
  const found = await findService(options.url, io, { ...options, presets: QUICKSTART_PRESETS });
  return found.ok && isLive(found.address.url, new AbortController().signal);
}

const PROGRAMS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  // `start` treats its first quoted argument as the title.
  win32: ['cmd', '/c', 'start', '""'],
};

/** Opens the URL in a browser if the user has a graphical session. Ignores failures, because the URL has been printed. */
function openBrowser(url: string, { env }: CommandIo): void {
  const isLinux = PROGRAMS[process.platform] === undefined;
  if (isLinux && !env['DISPLAY'] && !env['WAYLAND_DISPLAY']) return;
  const [program, ...args] = PROGRAMS[process.platform] ?? ['xdg-open'];
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true, env });
  child.on('error', () => {});
  child.unref();
}
