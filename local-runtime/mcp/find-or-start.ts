import { isLive } from '../client/liveness.ts';
import { createService, type Service } from '../client/service.ts';
import { findService } from '../client/service-address.ts';
import { ServiceError } from '../client/service-error.ts';
import type { Call } from '../command-table/command.ts';
import type { ConfigurationOptions } from '../command-table/configuration-options.ts';
import type { ServiceOption } from '../command-table/service-options.ts';
import { QUICKSTART_PRESETS } from '../quickstart-presets.ts';

export type McpCall = Call<unknown, ConfigurationOptions & ServiceOption>;

export interface FoundService {
  readonly service: Service;
  /** Stops the service if it was started here. Resolves to the exit code. */
  stop(): Promise<number>;
}

/**
 * A running service; where there is none, and none was named, one that runs in this process, as `quickstart` starts it.
 * Throws `ServiceError`.
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
  // The whole bridge is loaded only where it is to run here.
  const { launchBridge } = await import('../launch.ts');
  const launched = await launchBridge(
    { args, options: { ...options, noWait: true }, io },
    { presets: QUICKSTART_PRESETS, untilStopped: () => new Promise(() => {}) },
  );
  if (launched.ok) {
    const { address } = launched.bridge;
    io.stderr(`image-bridge listens on ${address}\n`);
    return { service: createService({ ...found.address, url: address }), stop: launched.stop };
  }
  // Another one may have started in the meantime.
  if (await isLive(service.url, signal)) return running;
  throw new ServiceError('no service runs, and none can be started here', 4, [
    'Run in a terminal: image-bridge doctor',
  ]);
}
