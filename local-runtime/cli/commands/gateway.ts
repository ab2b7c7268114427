import { toBridgeError } from '../../../lib/errors/bridge-error.ts';
import { startGateway } from '../../gateway/start-gateway.ts';
import type { Call } from '../command-table/command.ts';
import { type GatewayOptions, sameSlots } from '../command-table/deployment-options.ts';
import { untilStopped } from '../stop-signals.ts';

/** Resolves with the exit code: 0 after a clean stop, 1 if the gateway cannot start, 2 if both slots are equal. */
export async function runGateway({ options, io }: Call<unknown, GatewayOptions>): Promise<number> {
  const { bind, blue, green } = options;
  const problem = sameSlots({ blue, green }, '');
  if (problem !== undefined) {
    io.stderr(`image-bridge: ${problem}\n`);
    return 2;
  }
  const stopped = untilStopped();
  try {
    const gateway = await startGateway({
      ...options,
      origins: { blue, green },
      onTarget: (target) => io.stdout(`target: ${target}\n`),
    });
    const host = bind.host.includes(':') ? `[${bind.host}]` : bind.host;
    io.stdout(`image-bridge gateway listens on http://${host}:${gateway.port}\n`);
    await stopped;
    await gateway.stop();
    return 0;
  } catch (error) {
    io.stderr(`image-bridge: ${toBridgeError(error).message}\n`);
    return 1;
  }
}
