import { once } from 'node:events';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { createMcpServer } from '../../lib/mcp/mcp-server.ts';
import { systemClock } from '../../lib/platform/clock.ts';
import { isLive } from '../client/liveness.ts';
import { createService, type Service } from '../client/service.ts';
import { findService } from '../client/service-address.ts';
import { ServiceError } from '../client/service-error.ts';
import type { Call } from '../command-table/command.ts';
import type { ConfigurationOptions } from '../command-table/configuration-options.ts';
import type { ServiceOption } from '../command-table/service-options.ts';
import { launchBridge } from '../launch.ts';
import { createHttpApi } from '../mcp/http-api.ts';
import { readerBelow } from '../mcp/working-files.ts';
import { packageVersion } from '../package-version.ts';
import { QUICKSTART_PRESETS } from './quickstart.ts';

type McpCall = Call<unknown, ConfigurationOptions & ServiceOption>;

// An image within the limits of a request, in base64, with room for the rest.
const MAX_MESSAGE_BYTES = 96 * 1024 * 1024;

/**
 * `image-bridge mcp`: the tools for an agent over standard input and output, until that closes them. Resolves to the exit
 * code. The service is looked for with the first call of a tool, so that the tools can be listed at once.
 */
export async function runMcp(call: McpCall): Promise<number> {
  const { io } = call;
  const service = createServiceSource(call);
  const api = createHttpApi(service.find);
  const transport = new StdioServerTransport(process.stdin, process.stdout, {
    maxBufferSize: MAX_MESSAGE_BYTES,
  });
  // Before the protocol takes the input over, so that its end is not missed.
  const ended = Promise.race([once(process.stdin, 'close'), once(process.stdin, 'end')]);
  const connection = serveStdio(
    () =>
      createMcpServer({
        api,
        version: packageVersion(),
        clock: systemClock,
        readFile: readerBelow(io.cwd),
        onFailure: (error) => io.stderr(`image-bridge: a tool has failed (${nameOf(error)})\n`),
      }),
    { transport, onerror: (error) => io.stderr(`image-bridge: ${nameOf(error)} on input\n`) },
  );
  await Promise.race([ended, io.untilStopped()]);
  await connection.close();
  return service.stop();
}

/** A running service; where there is none, and none was named, one that runs in this process, as `quickstart` starts it. */
function createServiceSource({ options, io, args }: McpCall) {
  const stopping = new AbortController();
  let finding: Promise<Service> | undefined;
  let stop = async () => 0;

  async function find(): Promise<Service> {
    const found = await findService(options.url, io, { ...options, presets: QUICKSTART_PRESETS });
    if (!found.ok) throw new ServiceError(found.problems.join('; '), 4);
    const service = createService(found.address);
    const isNamed = (options.url ?? io.env['IMAGE_BRIDGE_URL']) !== undefined;
    if (isNamed || (await isLive(service.url, stopping.signal))) return service;
    const launched = await launchBridge(
      { args, options: { ...options, noWait: true }, io },
      { presets: QUICKSTART_PRESETS, untilStopped: () => new Promise(() => {}) },
    );
    if (launched.ok) {
      stop = launched.stop;
      io.stderr(`image-bridge listens on ${launched.bridge.address}\n`);
      return createService({ ...found.address, url: launched.bridge.address });
    }
    // Another one may have started in the meantime.
    if (await isLive(service.url, stopping.signal)) return service;
    throw new ServiceError('no service runs, and none can be started here', 4, [
      'Run in a terminal: image-bridge doctor',
    ]);
  }

  return {
    find(): Promise<Service> {
      finding ??= find().catch((error: unknown) => {
        // The next call looks again.
        finding = undefined;
        throw error;
      });
      return finding;
    },
    async stop(): Promise<number> {
      stopping.abort();
      await finding?.catch(() => {});
      return stop();
    },
  };
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'an unknown error';
}
