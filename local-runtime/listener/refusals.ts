import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { BridgeError } from '../../lib/errors/bridge-error.ts';
import type { HttpSettings } from '../../lib/http/http-event.ts';
import { unroutedReply } from '../../lib/http/stack.ts';
import { type DrainOptions, drain } from './drain.ts';
import { toRawBytes, toRawReply } from './raw-reply.ts';
import type { RequestInFlight } from './requests-in-flight.ts';
import type { SendReply } from './send-reply.ts';

interface Deps {
  readonly httpSettings: Pick<HttpSettings, 'ids' | 'observer'>;
  readonly sendReply: SendReply;
  readonly drainOptions: DrainOptions;
}

/** Replies in the shape of the contract to what does not reach the stack, and closes the connection. */
export function createRefusals({ httpSettings: { ids, observer }, sendReply, drainOptions }: Deps) {
  const refused = new WeakSet<Duplex>();

  /** Refuses a request that a handler has already seen: the stack reports it to the observer. */
  function refuse({ incoming, outgoing }: RequestInFlight, error: BridgeError): void {
    void sendReply(toRawReply(error, ids, incoming.headers), incoming, outgoing, true);
  }

  return {
    refuse,

    /** Refuses a request before it is routed. */
    refuseUnrouted(request: RequestInFlight, error: BridgeError): void {
      observer?.replied(unroutedReply(error, request.incoming.method));
      refuse(request, error);
    },

    /**
     * Refuses what is no request, on the socket itself. Destroys the socket when it takes no reply. `incoming` is the
     * request whose head was parsed, if one was.
     */
    async refuseSocket(
      socket: Duplex,
      error: BridgeError,
      incoming?: IncomingMessage,
    ): Promise<void> {
      refused.add(socket);
      if (socket.writable) {
        observer?.replied(unroutedReply(error, incoming?.method));
        socket.end(toRawBytes(error, ids, incoming?.headers));
        await drain(socket, drainOptions);
      }
      socket.destroy();
    },

    /** Whether `refuseSocket` has been called: what follows on the socket is only drained. */
    isRefused: (socket: Duplex): boolean => refused.has(socket),
  };
}
