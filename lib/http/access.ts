import { createHash, timingSafeEqual } from 'node:crypto';
import { unnamedCaller } from '../contract/request/caller.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import type { Access, NamedCallers } from './http-event.ts';
import { permissionOf } from './operation-spec.ts';
import { callOf, type Middleware, type StackRequest } from './stack.ts';

interface Deps {
  /** The token in the environment variable that `server.bearer_token_env` names. */
  readonly bearer: string | undefined;
  /** The callers listed in the tokens file. If neither `named` nor `bearer` is set, no token is required. */
  readonly named?: NamedCallers | undefined;
  /** Allowed values of `Host` in addition to loopback names: names with a port, or names for any port. */
  readonly hosts: readonly string[];
}

/** The scope of callers if no token is required. */
const ANONYMOUS = 'anonymous';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Creates the checks of callers and hosts (`docs/contract.md`, section 11). */
export function createAccess({ bearer, named, hosts }: Deps): Access {
  const allowed = new Set(hosts.map((host) => host.toLowerCase()));
  const expected = bearer === undefined ? undefined : sha256(bearer);
  const isOpen = expected === undefined && named === undefined;
  const unnamed = unnamedCaller(unnamedScope(bearer));
  // Digests are compared, because the comparison of tokens would reveal the length of the bearer token.
  const isBearer = (given: Buffer) => expected !== undefined && timingSafeEqual(given, expected);
  return {
    authenticate(authorization) {
      if (isOpen) return unnamed;
      const given = digestOf(authorization);
      if (isBearer(given)) return unnamed;
      // The duration of the lookup reveals nothing about a token, because it depends only on the digest.
      return named?.find(given.toString('hex'));
    },
    watch(authorization, stillMay, onEnd) {
      const given = digestOf(authorization);
      // The bearer token is valid until the process ends.
      if (named === undefined || isBearer(given)) return () => {};
      return named.watch(given.toString('hex'), stillMay, onEnd);
    },
    isOurHost(host) {
      if (!isOpen) return true;
      const authority = host.toLowerCase();
      const name = authority.replace(/:\d*$/, '');
      return LOOPBACK.test(name) || allowed.has(authority) || allowed.has(name);
    },
  };
}

/** Returns the scope of callers without a named token. */
export function unnamedScope(bearer: string | undefined): string {
  return bearer === undefined ? ANONYMOUS : sha256(bearer).toString('hex');
}

/** Returns the SHA-256 of the token in the header, or of an empty text if the header has no bearer token. */
function digestOf(authorization: string | undefined): Buffer {
  return sha256(/^Bearer +([^\s,]+)$/i.exec(authorization ?? '')?.[1] ?? '');
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}

/** Returns true if the browser guard and the token check apply to a request. */
function isProtected({ event, context }: StackRequest): boolean {
  const protection = context.spec?.protection;
  if (protection !== 'by_path') return protection !== 'public';
  const path = event.rawPath;
  return path === '/v1' || path.startsWith('/v1/') || path === '/metrics' || path === '/mcp';
}

/**
 * Rejects requests that a browser sends for a page of another origin. If no token is required, `Host` must be a name of the
 * bridge, because a page that rebinds its DNS name to this machine would otherwise count as same-origin.
 */
export const browserGuard: Middleware = {
  before(request) {
    if (!isProtected(request)) return;
    const { host, origin, 'sec-fetch-site': site } = request.event.headers;
    if (host === undefined || host === '') {
      throw new BridgeError('malformed_request', 'the Host header is missing');
    }
    // Repeated headers are joined by a comma, so a repeated header never equals an allowed value.
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

/** Identifies the caller of the request. Throws `authentication_required`, `permission_denied`. */
export const authenticate: Middleware = {
  before(request) {
    if (!isProtected(request)) return;
    const { event, context } = request;
    const caller = context.settings.access.authenticate(event.headers['authorization']);
    if (caller === undefined) {
      throw new BridgeError('authentication_required', 'a valid bearer token is required');
    }
    // The caller is set before the permission check, so that the rejection is attributed to the caller.
    callOf(request).caller = caller;
    const permission = context.spec && permissionOf(context.spec);
    if (permission !== undefined && !caller.permissions.includes(permission)) {
      throw new BridgeError('permission_denied', `the token lacks the permission ${permission}`, {
        details: { permission },
      });
    }
  },
};
