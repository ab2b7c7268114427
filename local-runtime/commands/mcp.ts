import { pipeline } from 'node:stream/promises';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { createMcpServer } from '../../lib/mcp/mcp-server.ts';
import { systemClock } from '../../lib/platform/clock.ts';
import type { FoundService, McpCall } from '../mcp/find-or-start.ts';
import { createHttpApi } from '../mcp/http-api.ts';
import { createPreviewImages } from '../mcp/preview-images.ts';
import { createWholeLines } from '../mcp/whole-lines.ts';
import { readerBelow } from '../mcp/working-files.ts';
import { packageVersion } from '../package-version.ts';

// An image within the limits of a request, in base64, with room for the rest.
const MAX_MESSAGE_BYTES = 96 * 1024 * 1024;

/**
 * `image-bridge mcp`: the tools for an agent over standard input and output, until that closes them. Resolves to the exit
 * code. The service is looked for with the first call of a tool, so that the tools can be listed at once.
 */
export async function runMcp(call: McpCall): Promise<number> {
  const { io } = call;
  const source = createServiceSource(call);
  const api = createHttpApi(source.find);
  const images = createPreviewImages();
  const lines = createWholeLines(MAX_MESSAGE_BYTES);
  const transport = new StdioServerTransport(lines, process.stdout, {
    // A part of the input may end one message and begin the next.
    maxBufferSize: 2 * MAX_MESSAGE_BYTES,
  });
  // What ends the input, the protocol reports.
  const ended = pipeline(process.stdin, lines).catch(() => {});
  const connection = serveStdio(
    () =>
      createMcpServer({
        api,
        version: packageVersion(),
        clock: systemClock,
        images: images.get,
        readFile: readerBelow(io.cwd),
        onFailure: (error) => io.stderr(`image-bridge: a tool has failed (${nameOf(error)})\n`),
      }),
    { transport, onerror: (error) => io.stderr(`image-bridge: ${nameOf(error)} on input\n`) },
  );
  await Promise.race([ended, io.untilStopped()]);
  await connection.close();
  lines.destroy();
  await images.close();
  return source.stop();
}

/** Finds or starts the service when it is first needed: only then is the whole bridge loaded. */
function createServiceSource(call: McpCall) {
  const stopping = new AbortController();
  let finding: Promise<FoundService> | undefined;

  async function find(): Promise<FoundService> {
    const { findOrStart } = await import('../mcp/find-or-start.ts');
    return findOrStart(call, stopping.signal);
  }

  return {
    async find() {
      finding ??= find().catch((error: unknown) => {
        // The next call looks again.
        finding = undefined;
        throw error;
      });
      return (await finding).service;
    },

    /** Resolves to the exit code. */
    async stop(): Promise<number> {
      stopping.abort();
      const found = await finding?.catch(() => undefined);
      return found === undefined ? 0 : found.stop();
    },
  };
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'an unknown error';
}
