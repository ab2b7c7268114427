import type { IncomingMessage } from 'node:http';

// What nearly every request has: nothing in it would change when it is parsed.
const PLAIN_HOST = /^[a-z0-9._-]+(?::\d{4,5})?$/;
const PLAIN_TARGET = /^\/[\w!$&'()*+,;:=@~./?-]*$/;
const DOT_SEGMENT = /\/\.\.?(?:[/?]|$)/;
const ABSOLUTE = /^https?:\/\//;

/**
 * The URL by which a request is routed, with its path normalized; undefined when the target or `Host` can be no part of
 * one. A request without `Host` has one too: whether it may go on is decided later, and the name is sent to nobody.
 */
export function routingUrl({ url: target = '', headers }: IncomingMessage): string | undefined {
  const host = headers.host || 'localhost';
  if (PLAIN_HOST.test(host) && PLAIN_TARGET.test(target) && !DOT_SEGMENT.test(target)) {
    return `http://${host}${target}`;
  }
  // `URL` takes a backslash for a slash: the path would not be the one that was sent.
  if (target.split('?', 1)[0]?.includes('\\')) return undefined;
  if (ABSOLUTE.test(target)) return URL.parse(target)?.href;
  if (!target.startsWith('/') || !isHost(host)) return undefined;
  return URL.parse(`http://${host}${target}`)?.href;
}

function isHost(host: string): boolean {
  const name = host.replace(/:\d*$/, '').toLowerCase();
  return URL.parse(`http://${host}`)?.hostname === name;
}
