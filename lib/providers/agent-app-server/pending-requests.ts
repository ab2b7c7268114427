import { BridgeError } from '../../errors/bridge-error.ts';
import type { Clock } from '../../platform/clock.ts';

/** The response to a request: what the method returns, or the text of its error. */
export type RpcReply =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly message: string };

interface Pending {
  readonly resolve: (reply: RpcReply) => void;
  readonly reject: (error: BridgeError) => void;
}

/** The requests that wait for their response, each until `timeoutMs` is over. */
export function createPendingRequests(clock: Pick<Clock, 'after'>, timeoutMs: number) {
  const pending = new Map<number, Pending>();
  let lastId = 0;

  return {
    /** A new request. `onTimeout` is called when it has waited too long; it rejects with `upstream` then. */
    add(onTimeout: () => void): { readonly id: number; readonly reply: Promise<RpcReply> } {
      lastId += 1;
      const id = lastId;
      const { promise, resolve, reject } = Promise.withResolvers<RpcReply>();
      const cancel = clock.after(timeoutMs, () => {
        pending.delete(id);
        reject(
          new BridgeError('upstream', 'the agent does not respond in time', { retryable: true }),
        );
        onTimeout();
      });
      pending.set(id, { resolve, reject });
      return { id, reply: promise.finally(cancel) };
    },

    /** A response to a request that does not wait any more, or never was, is ignored. */
    settle(id: number, reply: RpcReply): void {
      pending.get(id)?.resolve(reply);
      pending.delete(id);
    },

    rejectAll(error: BridgeError): void {
      for (const { reject } of pending.values()) reject(error);
      pending.clear();
    },
  };
}
