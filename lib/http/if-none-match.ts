import { splitHeader } from '../platform/header-text.ts';

/** Returns true if the client has the version that this etag names. The comparison is weak (RFC 9110, section 13.1.2). */
export function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const tags = splitHeader(ifNoneMatch, ',', false).map((tag) => tag.replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(etag);
}
