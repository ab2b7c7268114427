import { realpath } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { ImageEngine } from '../../../lib/images/image.ts';
import { ApiFailure } from '../../../lib/mcp/bridge-api.ts';
import { createMcpServer } from '../../../lib/mcp/mcp-server.ts';
import { systemClock } from '../../../lib/platform/clock.ts';
import { createOnce } from '../../../lib/platform/once.ts';
import { createTimeSlices } from '../../../lib/platform/time-slices.ts';
import { createHttpApi } from '../../mcp/http-api.ts';
import { createWholeLines } from '../../mcp/whole-lines.ts';
import { packageVersion } from '../../server/package-version.ts';
import { readWholeFile } from '../files.ts';
import type { McpCall } from '../find-or-start.ts';

// Enough for the largest image of a request in base64 and for the other parts of the message.
const MAX_MESSAGE_BYTES = 96 * 1024 * 1024;

/**
 * Serves the tools over standard input and output until the agent closes the input. The first call of a tool looks for the
 * service, so that the tools can be listed immediately. Resolves with the exit code.
 */
export async function runMcp(call: McpCall): Promise<number> {
  const { io } = call;
  const stopping = new AbortController();
  // The modules of the service, and of the image engine, are loaded only when a tool needs them.
  const found = createOnce(async () =>
    (await import('../find-or-start.ts')).findOrStart(call, stopping.signal),
  );
  const images = createOnce(openEngine);
  const api = createHttpApi(async () => (await found.get()).service);
  const lines = createWholeLines(MAX_MESSAGE_BYTES);
  const transport = new StdioServerTransport(lines, process.stdout, {
    // A chunk may contain the end of a message and the beginning of the next message.
    maxBufferSize: 2 * MAX_MESSAGE_BYTES,
  });
  // Errors of the input are ignored here, because the protocol reports them.
  const ended = pipeline(process.stdin, lines).catch(() => {});
  const connection = serveStdio(
    () =>
      createMcpServer({
        api,
        version: packageVersion(),
        clock: systemClock,
        images: images.get,
        readFile: readerBelow(io.cwd),
        onFailure: (error) => io.stderr(`image-bridge: a tool failed (${nameOf(error)})\n`),
      }),
    { transport, onerror: (error) => io.stderr(`image-bridge: ${nameOf(error)} on input\n`) },
  );
  await Promise.race([ended, io.untilStopped()]);
  await connection.close();
  lines.destroy();
  await (await images.made()?.catch(() => undefined))?.close();
  stopping.abort();
  return (await (await found.made()?.catch(() => undefined))?.stop()) ?? 0;
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'an unknown error';
}

// Far above the size of a thumbnail.
const LIMITS = {
  max_encoded_bytes: 32 * 1024 * 1024,
  max_edge: 2048,
  max_pixels: 2048 * 2048,
  max_decode_ms: 30_000,
};

/** Creates the image engine for previews. */
async function openEngine(): Promise<ImageEngine> {
  const { createImageEngine } = await import('../../../lib/images/image-engine.ts');
  const slices = createTimeSlices(systemClock);
  return createImageEngine({ limits: LIMITS, clock: systemClock, slices });
}

// The default limit of a service. The service enforces its own limit.
const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** Returns a function that reads files below a folder. The function throws `ApiFailure`, also if a link leads outside the folder. */
function readerBelow(folder: string): (path: string) => Promise<Buffer> {
  return async (path) => {
    const root = await realpath(folder);
    const found = await realpath(resolve(root, path)).catch(() => undefined);
    if (found === undefined) return refuse('file not found in the working directory');
    if (!found.startsWith(root.endsWith(sep) ? root : root + sep)) {
      return refuse('the file is outside the working directory');
    }
    const bytes = await readWholeFile(found, MAX_FILE_BYTES);
    return typeof bytes === 'string' ? refuse(`the file ${bytes}`) : bytes;
  };
}

function refuse(message: string): never {
  throw new ApiFailure('invalid_request', message, [
    'Name a PNG, JPEG or WebP file below the working directory of the client.',
  ]);
}
