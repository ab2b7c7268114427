import { unnamedCaller } from '../../lib/contract/request/caller.ts';
import type { RequestContext } from '../../lib/contract/request/request-context.ts';

/** The context of a request whose client stays connected, unless a test changes that. */
export function requestContext(changes: Partial<RequestContext> = {}): RequestContext {
  const { signal } = new AbortController();
  return {
    operationId: 'createImage',
    requestId: 'request-1',
    trace: { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' },
    scope: 'anonymous',
    caller: unnamedCaller('anonymous'),
    baseUrl: 'http://localhost:8787',
    idempotencyKey: undefined,
    retryCount: undefined,
    prefer: undefined,
    signal: () => signal,
    onReplied: () => {},
    onRevoked: () => () => {},
    ...changes,
  };
}
