import { BridgeError } from '../errors/bridge-error.ts';
import type { Middleware, StackRequest } from './stack-request.ts';

/** Whether the guard and the token apply to a request (contract.md 11). */
export function isProtected({ event, context }: StackRequest): boolean {
  const protection = context.spec?.protection;
  if (protection !== 'by_path') return protection !== 'public';
  const path = event.rawPath;
  return path === '/v1' || path.startsWith('/v1/') || path === '/metrics' || path === '/mcp';
}

/**
 * Refuses requests that a page of another origin makes a browser send. Requests without the browser's headers are valid.
 * Without a bearer the `Host` must be ours: a page that rebinds its name to this machine would pass as same-origin.
 */
export const browserGuard: Middleware = {
  before(request) {
    if (!isProtected(request)) return;
    const { host, origin, 'sec-fetch-site': site } = request.event.headers;
    if (host === undefined || host === '') {
      throw new BridgeError('malformed_request', 'the Host header is missing');
    }
    // Repeated headers are joined by a comma, so they never equal an allowed value.
    if (site !== undefined && site !== 'same-origin' && site !== 'none') {
      throw new BridgeError('permission_denied', 'requests from pages of other sites are refused');
    }
    if (origin !== undefined && authorityOf(origin) !== host) {
      throw new BridgeError('permission_denied', 'the Origin is not this bridge');
    }
    if (!request.context.settings.access.isOurHost(host)) {
      throw new BridgeError('permission_denied', 'the Host is not one of this bridge');
    }
  },
};

function authorityOf(origin: string): string | undefined {
  return /^https?:\/\/([^/?#\s,]+)$/.exec(origin)?.[1];
}
