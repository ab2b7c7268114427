import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Ids } from '../../../lib/platform/ids.ts';

/** One request for an image whose URL was in a reply. */
export interface Fetched {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly status: number;
}

/** Replies of the server of the URLs instead of the image. */
export type ResultFault = 'missing' | 'redirect' | 'html' | 'huge' | 'cut' | 'truncated';

const HUGE_BYTES = 80_000_000;
const HUGE_PIECE = Buffer.alloc(1_000_000, 'x');

export const RESULTS_PATH = '/generated-images';

/** Stores images that are delivered by URL, and records the requests for them. */
export function createResults(ids: Pick<Ids, 'newOpaqueId'>, onChange: () => void) {
  const stored = new Map<
    string,
    { readonly bytes: Buffer; readonly fault: ResultFault | undefined }
  >();
  const fetched: Fetched[] = [];

  return {
    fetched: (): readonly Fetched[] => fetched,

    /** Stores an image and returns its path. */
    store(bytes: Buffer, fault?: ResultFault): string {
      const path = `${RESULTS_PATH}/${ids.newOpaqueId()}.png`;
      stored.set(path, { bytes, fault });
      return path;
    },

    async reply(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
      const { url: path = '', headers } = incoming;
      const result = stored.get(path);
      const fault = result ? result.fault : 'missing';
      const status = { missing: 404, redirect: 302 }[String(fault)] ?? 200;
      fetched.push({ path, headers, status });
      onChange();
      const type = fault === 'html' ? 'text/html' : 'image/png';
      const moved = fault === 'redirect' ? { location: `${RESULTS_PATH}/elsewhere.png` } : {};
      response.writeHead(status, { 'content-type': type, ...moved });
      if (fault === 'huge') return flood(response);
      if (fault === 'html') return void response.end('<!doctype html><p>no image</p>');
      if (fault === undefined) return void response.end(result?.bytes);
      if (fault !== 'cut' && fault !== 'truncated') return void response.end();
      const half = result?.bytes.subarray(0, result.bytes.length / 2) ?? Buffer.alloc(0);
      if (fault === 'truncated') response.end(half);
      else response.write(half, () => incoming.socket.destroy());
    },
  };
}

/** Sends more bytes than any image has, at the speed at which they are read. */
function flood(response: ServerResponse): void {
  let left = HUGE_BYTES / HUGE_PIECE.length;
  const next = () => {
    left -= 1;
    if (left < 0) response.end();
    else if (response.write(HUGE_PIECE)) setImmediate(next);
    else response.once('drain', next);
  };
  next();
}
