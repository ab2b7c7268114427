import { isLive } from '../client/liveness.ts';
import { createService, type Service } from '../client/service.ts';
import { ServiceError } from '../client/service-error.ts';
import type { Call } from './command-table/command.ts';
import type { ConfigurationOptions, ServiceOption } from './command-table/options.ts';
import { QUICKSTART_PRESETS } from './quickstart-presets.ts';
import { findService } from './with-service.ts';

export type McpCall = Call<unknown, ConfigurationOptions & ServiceOption>;

export interface FoundService {
  readonly service: Service;
  /** Stops the service if this process started it. Resolves with the exit code. */
  stop(): Promise<number>;
}

/**
 * Finds the running service. If no service is running and no URL is set, starts a service in this process in the same way
 * as `quickstart`. Throws `ServiceError`.
 */
export async function findOrStart(
  { options, io, args }: McpCall,
  signal: AbortSignal,
): Promise<FoundService> {
  const found = await findService(options.url, io, { ...options, presets: QUICKSTART_PRESETS });
  if (!found.ok) throw new ServiceError(found.problems.join('; '), 4);
  const service = createService(found.address);
  const running = { service, stop: async () => 0 };
  const isNamed = (options.url ?? io.env['IMAGE_BRIDGE_URL']) !== undefined;
  if (isNamed || (await isLive(service.url, signal))) return running;
  // Loaded only if a service starts in this process, because the modules of the service load slowly.
  const { launchBridge } = await import('./launch.ts');
  const launched = await launchBridge(
    { args, options: { ...options, noWait: true }, io },
    { presets: QUICKSTART_PRESETS, untilStopped: () => new Promise(() => {}) },
  );
  if (launched.ok) {
    const { address } = launched.bridge;
    io.stderr(`image-bridge listens on ${address}\n`);
    return { service: createService({ ...found.address, url: address }), stop: launched.stop };
  }
  // Another process may have started the service in the meantime.
  if (await isLive(service.url, signal)) return running;
  throw new ServiceError('no service is running, and a new service cannot be started', 4, [
    'Run in a terminal: image-bridge doctor',
  ]);
}
