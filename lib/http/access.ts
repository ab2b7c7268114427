import { createHash, timingSafeEqual } from 'node:crypto';
import type { Access } from './http-event.ts';

interface Deps {
  /** The token that protects the bridge; none means that whoever reaches the listener may call. */
  readonly bearer: string | undefined;
  /** Further values of `Host` beside loopback names: authorities, or names that take any port. */
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
      // Digests have one length whatever was sent, so that the comparison tells nothing about it.
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
