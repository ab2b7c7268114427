import type { IncomingMessage } from 'node:http';
import { getPath } from 'hono/utils/url';

// Paths and hosts that a `URL` would return unchanged. Parsing a `URL` takes more time than all other steps of a small route.
const PLAIN_PATH = /^(?:\/[\w~:@-][\w.~:@-]*)*\/?$/;
const PLAIN_HOST = /^[a-z0-9._-]+(?::[1-5]?\d{1,4})?$/;
const ABSOLUTE = /^https?:\/\//;
// A missing Host is replaced by this host. The browser guard checks such requests, and no reply contains this name.
const DEFAULT_HOST = 'localhost';

/**
 * Returns the decoded path of a request, without the query. Escaped slashes stay escaped. Returns undefined if the request
 * target or `Host` is invalid (RFC 9112, section 3.2).
 */
export function requestPath({ url: target = '', headers }: IncomingMessage): string | undefined {
  const path = beforeQuery(target);
  const host = headers.host || DEFAULT_HOST;
  if (path !== '' && PLAIN_PATH.test(path) && PLAIN_HOST.test(host)) return path;
  // A `URL` would read a backslash as a slash.
  if (path.includes('\\')) return undefined;
  const url = ABSOLUTE.test(target) ? URL.parse(target) : urlAt(host, target);
  // The cast is safe because `getPath` reads only the URL of a request.
  return url ? getPath({ url: url.href } as Request) : undefined;
}

function beforeQuery(target: string): string {
  const end = target.search(/[?#]/);
  return end === -1 ? target : target.slice(0, end);
}

/** Returns the URL of a path, or null if the path is invalid or if `Host` is more than a host with a port. */
function urlAt(host: string, path: string): URL | null {
  const url = path.startsWith('/') ? URL.parse(`http://${host}${path}`) : null;
  if (PLAIN_HOST.test(host)) return url;
  return url?.hostname === host.replace(/:\d+$/, '').toLowerCase() ? url : null;
}
