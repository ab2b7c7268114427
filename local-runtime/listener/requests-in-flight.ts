import type { IncomingMessage, ServerResponse } from 'node:http';
import { BridgeError } from '../../lib/errors/bridge-error.ts';
import type { HttpSettings } from '../../lib/http/http-event.ts';
import type { Operation } from '../../lib/http/operation.ts';
import type { Services } from '../../lib/services.ts';
import type { SendReply } from './send-reply.ts';
import { toEvent } from './to-event.ts';

interface Deps {
  readonly httpSettings: HttpSettings;
  /** Requests that come before the app is built wait for it. */
  readonly services: Promise<Services>;
  readonly sendReply: SendReply;
  /** Aborted when the grace of a shutdown is over. */
  readonly shutdown: AbortController;
}

/** One request whose reply has not been sent in full. */
export interface RequestInFlight {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

/** Which operation a request was routed to. */
export interface Destination {
  readonly handler: Operation<Services>;
  /** The path as the route table writes it; undefined where no route has it. */
  readonly route: string | undefined;
  readonly path: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Runs handlers for requests, and knows which of them still run. */
export function createRequestsInFlight({ httpSettings, services, sendReply, shutdown }: Deps) {
  let running = 0;
  // Those whose handlers asked for a signal.
  const waiting = new Set<AbortController>();
  let stopping = false;
  let becameIdle = () => {};

  return {
    /** Resolves when the reply has been passed to the socket. The handler's signal aborts when the client disconnects. */
    async run(
      { incoming, outgoing }: RequestInFlight,
      { handler, route, path, parameters }: Destination,
      onReply: () => void,
    ): Promise<void> {
      let controller: AbortController | undefined;
      let isDisconnected = false;
      const disconnect = () =>
        controller?.abort(new BridgeError('cancelled', 'the client has disconnected'));
      const signal = () => {
        if (controller) return controller.signal;
        controller = new AbortController();
        waiting.add(controller);
        if (isDisconnected) disconnect();
        if (shutdown.signal.aborted) controller.abort(stopped());
        return controller.signal;
      };
      const onReplied = (listener: (isComplete: boolean) => void) => {
        outgoing.once('close', () => listener(outgoing.writableFinished));
      };
      outgoing.once('close', () => {
        if (outgoing.writableFinished) return;
        isDisconnected = true;
        disconnect();
      });
      running += 1;
      try {
        const context = {
          services: await services,
          settings: httpSettings,
          route,
          signal,
          onReplied,
        };
        const reply = await handler(toEvent(incoming, path, parameters), context);
        onReply();
        await sendReply(reply, incoming, outgoing, stopping);
      } finally {
        if (controller) waiting.delete(controller);
        running -= 1;
        if (running === 0) becameIdle();
      }
    },

    /** From now on every reply is the last one on its connection. */
    stop(): void {
      stopping = true;
    },

    isStopping: () => stopping,

    /** Resolves when no request runs any more; aborts those that still run after `graceMs`. */
    async drain(graceMs: number): Promise<void> {
      if (running === 0) return;
      const idle = new Promise<void>((resolve) => {
        becameIdle = resolve;
      });
      const cancel = httpSettings.clock.after(graceMs, () => {
        shutdown.abort();
        for (const controller of waiting) controller.abort(stopped());
      });
      await idle;
      cancel();
    },
  };
}

function stopped(): BridgeError {
  return new BridgeError('cancelled', 'the bridge is stopping');
}
