import type { IncomingMessage } from 'node:http';
import type { HttpEvent } from '../../lib/http/http-event.ts';

/**
 * One request as an event, made of what Node and Hono have parsed already. A new `URL` or `Headers` would cost more than
 * the whole operation of a small route.
 */
export function toEvent(
  incoming: IncomingMessage,
  path: string,
  pathParameters: Readonly<Record<string, string>>,
): HttpEvent {
  const { url = '', method = 'GET', headers } = incoming;
  const query = url.indexOf('?');
  return {
    version: '2.0',
    rawPath: path,
    rawQueryString: query === -1 ? '' : url.slice(query + 1),
    // With `joinDuplicateHeaders` only `set-cookie` is a list, and no request has it.
    headers: headers as HttpEvent['headers'],
    pathParameters,
    requestContext: { http: { method, path } },
    body: incoming,
    isBase64Encoded: false,
  };
}
