import type { IncomingMessage } from 'node:http';
import * as v from 'valibot';
import { BridgeError } from '../../lib/errors/bridge-error.ts';
import type { HttpReply } from '../../lib/http/http-event.ts';
import { encodeJson } from '../../lib/http/reply/encode-json.ts';
import { toErrorReply } from '../../lib/http/reply/encode-reply.ts';
import { requestIdOf } from '../../lib/http/stack.ts';
import type { Ids } from '../../lib/platform/ids.ts';
import { SLOTS } from './coordination.ts';

interface Deps {
  readonly state: () => GatewayState;
  /** Returns true if a new request would be held or sent to a ready slot. */
  readonly isReady: () => boolean;
  readonly ids: Ids;
}

/** Creates a function that replies to requests below `/health/` and returns undefined for all other requests. */
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
        return toErrorReply(new BridgeError('not_found', 'not found'), id);
    }
  }
}

/** Returns the path of a request target, which may be an absolute URL (RFC 9112, section 3.2.2). */
function pathOf(url: string): string {
  const [path = ''] = url.replace(/^https?:\/\/[^/?]*/, '').split('?', 1);
  return path;
}

function notAllowed(id: string): HttpReply {
  const message = 'method not allowed for this path';
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

const COUNT = v.pipe(v.number(), v.integer(), v.minValue(0));

/** The reply to `GET /health/gateway`: the state that a handoff checks before it stops a slot. */
export const GATEWAY_STATE = v.object({
  /** The destination of new requests. While it is `hold`, no byte of a new request reaches a slot. */
  target: v.picklist([...SLOTS, 'hold']),
  /** The number of held requests. */
  held: COUNT,
  /** The number of requests without a complete reply, including held requests. */
  in_flight: COUNT,
  /** The maximum time to hold a request. */
  hold_ms: COUNT,
});

export type GatewayState = v.InferOutput<typeof GATEWAY_STATE>;
