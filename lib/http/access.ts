import { createHash, timingSafeEqual } from 'node:crypto';
import type { Access } from './http-event.ts';

interface Deps {
  /** The token that protects the bridge. Without one every client that can connect may call. */
  readonly bearer: string | undefined;
  /** Allowed values of `Host` beside loopback names: authorities, or names with any port. */
  readonly hosts: readonly string[];
}

/** The scope of callers when no bearer is configured. */
export const ANONYMOUS = 'anonymous';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Decides who may call: contract.md 11. */
export function createAccess({ bearer, hosts }: Deps): Access {
  const allowed = new Set(hosts.map((host) => host.toLowerCase()));
  const expected = bearer === undefined ? undefined : sha256(bearer);
  return {
    authenticate(authorization) {
      if (!expected) return ANONYMOUS;
      const token = /^Bearer +([^\s,]+)$/i.exec(authorization ?? '')?.[1] ?? '';
      // Digests have one length, so the comparison reveals nothing about the length of the token.
      const given = sha256(token);
      return timingSafeEqual(given, expected) ? given.toString('hex') : undefined;
    },
    isOurHost(host) {
      if (expected) return true;
      const authority = host.toLowerCase();
      const name = authority.replace(/:\d*$/, '');
      return LOOPBACK.test(name) || allowed.has(authority) || allowed.has(name);
    },
  };
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}
