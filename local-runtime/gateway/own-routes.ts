import type { IncomingMessage } from 'node:http';
import { BridgeError } from '../../lib/errors/bridge-error.ts';
import type { HttpReply } from '../../lib/http/http-event.ts';
import { encodeJson } from '../../lib/http/reply/encode-json.ts';
import { toErrorReply } from '../../lib/http/reply/encode-reply.ts';
import { requestIdOf } from '../../lib/http/stack.ts';
import type { Ids } from '../../lib/platform/ids.ts';
import type { GatewayState } from './gateway-state.ts';

interface Deps {
  readonly state: () => GatewayState;
  /** Whether a request that came now would be held, or be sent to a slot that is ready. */
  readonly isReady: () => boolean;
  readonly ids: Ids;
}

/** The reply to a request below `/health/`, which never reaches a slot. Undefined for every other request. */
export function createOwnRoutes({ state, isReady, ids }: Deps) {
  return function ownReply({ url = '', method, headers }: IncomingMessage): HttpReply | undefined {
    const path = pathOf(url);
    if (!path.startsWith('/health/')) return undefined;
    const id = requestIdOf(headers['x-request-id']?.toString(), ids);
    return withId(method === 'GET' || method === 'HEAD' ? get(path, id) : notAllowed(id), id);
  };

  function get(path: string, id: string): HttpReply {
    switch (path) {
      case '/health/live':
        return json(200, { status: 'live' });
      case '/health/ready':
        return isReady() ? json(200, { status: 'ready' }) : json(503, { status: 'not_ready' });
      case '/health/gateway':
        return json(200, state());
      default:
        return toErrorReply(new BridgeError('not_found', 'there is nothing at this address'), id);
    }
  }
}

/** The path of a request target, which may name the whole address (RFC 9112, 3.2.2). */
function pathOf(url: string): string {
  const [path = ''] = url.replace(/^https?:\/\/[^/?]*/, '').split('?', 1);
  return path;
}

function notAllowed(id: string): HttpReply {
  const message = 'the method is not allowed here';
  const headers = { allow: 'GET, HEAD' };
  return toErrorReply(new BridgeError('method_not_allowed', message, { headers }), id);
}

function withId(reply: HttpReply, id: string): HttpReply {
  return { ...reply, headers: { ...reply.headers, 'x-request-id': id } };
}

function json(statusCode: number, value: object): HttpReply {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  return { statusCode, headers, body: encodeJson(value) };
}
