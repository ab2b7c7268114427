import { realpath } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import { ApiFailure } from '../../lib/mcp/bridge-api.ts';
import { readWholeFile } from '../read-file.ts';

// What a service takes at most by default; it names its own limit.
const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** Reads files below a folder, which links do not lead out of. The returned function throws `ApiFailure`. */
export function readerBelow(folder: string): (path: string) => Promise<Buffer> {
  return async (path) => {
    const root = await realpath(folder);
    const found = await realpath(resolve(root, path)).catch(() => undefined);
    if (found === undefined) throw refused('there is no such file in the working directory');
    if (!found.startsWith(root.endsWith(sep) ? root : root + sep)) {
      throw refused('files outside of the working directory are not read');
    }
    const bytes = await readWholeFile(found, MAX_FILE_BYTES);
    if (typeof bytes === 'string') throw refused(`the file ${bytes}`);
    return bytes;
  };
}

function refused(message: string): ApiFailure {
  return new ApiFailure('invalid_request', message, [
    'Name a PNG, JPEG or WebP file below the working directory of the client.',
  ]);
}
