import { createHash, timingSafeEqual } from 'node:crypto';
import { unnamedCaller } from '../contract/request/caller.ts';
import type { Access, NamedCallers } from './http-event.ts';

interface Deps {
  /** The token of `server.bearer_token_env`. */
  readonly bearer: string | undefined;
  /** Without them and without `bearer`, every client that can connect may call. */
  readonly named?: NamedCallers | undefined;
  /** Allowed values of `Host` beside loopback names: authorities, or names with any port. */
  readonly hosts: readonly string[];
}

/** The scope of callers where no token is required. */
export const ANONYMOUS = 'anonymous';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Decides who may call: contract.md 11. */
export function createAccess({ bearer, named, hosts }: Deps): Access {
  const allowed = new Set(hosts.map((host) => host.toLowerCase()));
  const expected = bearer === undefined ? undefined : sha256(bearer);
  const isOpen = expected === undefined && named === undefined;
  const unnamed = unnamedCaller(unnamedScope(bearer));
  // Digests have one length, so the comparison reveals nothing about the length of the token.
  const isBearer = (given: Buffer) => expected !== undefined && timingSafeEqual(given, expected);
  return {
    authenticate(authorization) {
      if (isOpen) return unnamed;
      const given = digestOf(authorization);
      if (isBearer(given)) return unnamed;
      // The time of this lookup depends on the digest alone, and no client can choose one.
      return named?.find(given.toString('hex'));
    },
    watch(authorization, stillMay, onEnd) {
      const given = digestOf(authorization);
      // The token of the settings holds as long as the process.
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

/** The scope of callers without a named token. */
export function unnamedScope(bearer: string | undefined): string {
  return bearer === undefined ? ANONYMOUS : sha256(bearer).toString('hex');
}

/** The digest of the token in the header; that of no token where there is none. */
function digestOf(authorization: string | undefined): Buffer {
  return sha256(/^Bearer +([^\s,]+)$/i.exec(authorization ?? '')?.[1] ?? '');
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}
