import type { IncomingMessage, ServerResponse } from 'node:http';
import { BridgeError } from '../lib/errors/bridge-error.ts';
import type { HttpSettings } from '../lib/http/http-event.ts';
import type { Operation } from '../lib/http/operation.ts';
import type { Services } from '../lib/services.ts';
import type { SendReply } from './send-reply.ts';
import { toEvent } from './to-event.ts';

interface Deps {
  readonly httpSettings: HttpSettings;
  /** Requests that come before the house stands wait for it. */
  readonly services: Promise<Services>;
  readonly sendReply: SendReply;
  /** Aborted when the grace of a shutdown is over. */
  readonly lastCall: AbortController;
}

/** One request on its way through the listener. */
export interface RequestInFlight {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

/** Where a request was routed to. */
export interface Destination {
  readonly handler: Operation<Services>;
  /** The path as the route table writes it; undefined where no route has it. */
  readonly route: string | undefined;
  readonly path: string;
  readonly parameters: Readonly<Record<string, string>>;
}

export type RequestsInFlight = ReturnType<typeof createRequestsInFlight>;

/** Runs handlers for requests, and knows which of them have not been answered yet. */
export function createRequestsInFlight({ httpSettings, services, sendReply, lastCall }: Deps) {
  let running = 0;
  // Those whose handlers asked for a signal.
  const waiting = new Set<AbortController>();
  let stopping = false;
  let becameIdle = () => {};

  return {
    /** Resolves when the answer has been handed to the socket. A client that leaves aborts the handler's signal. */
    async run(
      { incoming, outgoing }: RequestInFlight,
      { handler, route, path, parameters }: Destination,
      onAnswer: () => void,
    ): Promise<void> {
      let gone: AbortController | undefined;
      let hasLeft = false;
      const leave = () => gone?.abort(new BridgeError('cancelled', 'the client has left'));
      const signal = () => {
        if (gone) return gone.signal;
        gone = new AbortController();
        waiting.add(gone);
        if (hasLeft) leave();
        if (lastCall.signal.aborted) gone.abort(stopped());
        return gone.signal;
      };
      outgoing.once('close', () => {
        if (outgoing.writableFinished) return;
        hasLeft = true;
        leave();
      });
      running += 1;
      try {
        const context = { services: await services, settings: httpSettings, route, signal };
        const reply = await handler(toEvent(incoming, path, parameters), context);
        onAnswer();
        await sendReply(reply, incoming, outgoing, stopping);
      } finally {
        if (gone) waiting.delete(gone);
        running -= 1;
        if (running === 0) becameIdle();
      }
    },

    /** From now on every answer is the last one on its connection. */
    stop(): void {
      stopping = true;
    },

    isStopping: () => stopping,

    /** Resolves when nothing runs any more; after `graceMs` it ends what still does. */
    async drain(graceMs: number): Promise<void> {
      if (running === 0) return;
      const idle = new Promise<void>((resolve) => {
        becameIdle = resolve;
      });
      const cancel = httpSettings.clock.after(graceMs, () => {
        lastCall.abort();
        for (const gone of waiting) gone.abort(stopped());
      });
      await idle;
      cancel();
    },
  };
}

function stopped(): BridgeError {
  return new BridgeError('cancelled', 'the bridge is stopping');
}
