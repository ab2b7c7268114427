import { createHash, timingSafeEqual } from 'node:crypto';
import { type Caller, unnamedCaller } from '../contract/request/caller.ts';
import type { Access } from './http-event.ts';

interface Deps {
  /** The token of `server.bearer_token_env`. */
  readonly bearer: string | undefined;
  /**
   * The caller whose token has this SHA-256, in lower-case hexadecimal. Without it and without `bearer`, every client that
   * can connect may call.
   */
  readonly findNamed?: ((sha256: string) => Caller | undefined) | undefined;
  /** Allowed values of `Host` beside loopback names: authorities, or names with any port. */
  readonly hosts: readonly string[];
}

/** The scope of callers where no token is required. */
export const ANONYMOUS = 'anonymous';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Decides who may call: contract.md 11. */
export function createAccess({ bearer, findNamed, hosts }: Deps): Access {
  const allowed = new Set(hosts.map((host) => host.toLowerCase()));
  const expected = bearer === undefined ? undefined : sha256(bearer);
  const isOpen = expected === undefined && findNamed === undefined;
  const unnamed = unnamedCaller(expected?.toString('hex') ?? ANONYMOUS);
  return {
    authenticate(authorization) {
      if (isOpen) return unnamed;
      const token = /^Bearer +([^\s,]+)$/i.exec(authorization ?? '')?.[1] ?? '';
      // Digests have one length, so the comparison reveals nothing about the length of the token.
      const given = sha256(token);
      if (expected && timingSafeEqual(given, expected)) return unnamed;
      // The time of this lookup depends on the digest alone, and no client can choose one.
      return findNamed?.(given.toString('hex'));
    },
    isOurHost(host) {
      if (!isOpen) return true;
      const authority = host.toLowerCase();
      const name = authority.replace(/:\d*$/, '');
      return LOOPBACK.test(name) || allowed.has(authority) || allowed.has(name);
    },
  };
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}
