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
  /** Returns true if a new request would be held, or would be sent to a ready slot. */
  readonly isReady: () => boolean;
  readonly ids: Ids;
}

/** Creates a function that replies to a request below `/health/`. The function returns undefined for any other request. */
export function createOwnRoutes({ state, isReady, ids }: Deps) {
  return function ownReply({ url = '', method, headers }: IncomingMessage): HttpReply | undefined {
    // A request target may be an absolute URL (RFC 9112, section 3.2.2).
    const [path = ''] = url.replace(/^https?:\/\/[^/?]*/, '').split('?', 1);
    if (!path.startsWith('/health/')) return undefined;
    const id = requestIdOf(headers['x-request-id']?.toString(), ids);
    const reply = method === 'GET' || method === 'HEAD' ? get(path, id) : notAllowed(id);
    return { ...reply, headers: { ...reply.headers, 'x-request-id': id } };
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

function notAllowed(id: string): HttpReply {
  const message = 'method not allowed for this path';
  const headers = { allow: 'GET, HEAD' };
  return toErrorReply(new BridgeError('method_not_allowed', message, { headers }), id);
}

function json(statusCode: number, value: object): HttpReply {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  return { statusCode, headers, body: encodeJson(value) };
}

const COUNT = v.pipe(v.number(), v.integer(), v.minValue(0));

/** The reply to `GET /health/gateway`. A handoff checks this state before a slot is stopped. */
export const GATEWAY_STATE = v.object({
  /** The destination of new requests. While the destination is `hold`, no byte of a new request reaches a slot. */
  target: v.picklist([...SLOTS, 'hold']),
  /** The number of held requests. */
  held: COUNT,
  /** The number of requests without a complete reply, including held requests. */
  in_flight: COUNT,
  /** The maximum time to hold a request. */
  hold_ms: COUNT,
});

export type GatewayState = v.InferOutput<typeof GATEWAY_STATE>;
