import { createHash } from 'node:crypto';

/** The folder below the artifact root that holds the images of a scope; undefined for the root itself. */
export type OwnerFolder = (scope: string) => string | undefined;

/**
 * Each scope has a folder of its own, so that no token learns from a taken name which images of others exist. The scope of
 * callers without a named token uses the root. The folder is a digest, because a scope need not be a portable name.
 */
export function createOwnerFolder(rootScope: string): OwnerFolder {
  return (scope) => {
    if (scope === rootScope) return undefined;
    return `owner-${createHash('sha256').update(scope).digest('hex').slice(0, 16)}`;
  };
}
