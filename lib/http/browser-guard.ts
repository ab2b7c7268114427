import { BridgeError } from '../errors/bridge-error.ts';
import type { Middleware, StackRequest } from './stack-request.ts';

/** Returns true if the browser guard and the token check apply to a request. */
export function isProtected({ event, context }: StackRequest): boolean {
  const protection = context.spec?.protection;
  if (protection !== 'by_path') return protection !== 'public';
  const path = event.rawPath;
  return path === '/v1' || path.startsWith('/v1/') || path === '/metrics' || path === '/mcp';
}

/**
 * Rejects requests that a browser sends for a page of another origin. Requests without browser headers are accepted. If no
 * token is required, the `Host` must be a name of the bridge, because a page that rebinds its DNS name to this machine would
 * count as same-origin.
 */
export const browserGuard: Middleware = {
  before(request) {
    if (!isProtected(request)) return;
    const { host, origin, 'sec-fetch-site': site } = request.event.headers;
    if (host === undefined || host === '') {
      throw new BridgeError('malformed_request', 'the Host header is missing');
    }
    // Repeated headers are joined by a comma and therefore never equal an allowed value.
    if (site !== undefined && site !== 'same-origin' && site !== 'none') {
      throw new BridgeError('permission_denied', 'requests from pages of other sites are rejected');
    }
    if (origin !== undefined && authorityOf(origin) !== host) {
      throw new BridgeError('permission_denied', 'cross-origin request rejected');
    }
    if (!request.context.settings.access.isOurHost(host)) {
      throw new BridgeError('permission_denied', 'the Host header does not name this bridge');
    }
  },
};

function authorityOf(origin: string): string | undefined {
  return /^https?:\/\/([^/?#\s,]+)$/.exec(origin)?.[1];
}
