import type { IncomingMessage } from 'node:http';

// What nearly every request has. Parsing would not change it.
const PLAIN_HOST = /^[a-z0-9._-]+(?::\d{4,5})?$/;
const PLAIN_TARGET = /^\/[\w!$&'()*+,;:=@~./?-]*$/;
const DOT_SEGMENT = /\/\.\.?(?:[/?]|$)/;
const ABSOLUTE = /^https?:\/\//;

/**
 * The URL by which a request is routed, with its path normalized. Undefined when the target or `Host` is not valid. A
 * request without `Host` gets a URL too: the browser guard decides later, and the name is not sent to the client.
 */
export function routingUrl({ url: target = '', headers }: IncomingMessage): string | undefined {
  const host = headers.host || 'localhost';
  if (PLAIN_HOST.test(host) && PLAIN_TARGET.test(target) && !DOT_SEGMENT.test(target)) {
    return `http://${host}${target}`;
  }
  // `URL` replaces a backslash by a slash: the path would not be the one that was sent.
  if (target.split('?', 1)[0]?.includes('\\')) return undefined;
  if (ABSOLUTE.test(target)) return URL.parse(target)?.href;
  if (!target.startsWith('/') || !isHost(host)) return undefined;
  return URL.parse(`http://${host}${target}`)?.href;
}

function isHost(host: string): boolean {
  const name = host.replace(/:\d*$/, '').toLowerCase();
  return URL.parse(`http://${host}`)?.hostname === name;
}
