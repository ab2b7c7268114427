import type { IncomingMessage, ServerResponse } from 'node:http';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import type { HttpEvent, HttpSettings } from '../../../lib/http/http-event.ts';
import type { Operation } from '../../../lib/http/operation.ts';
import type { Services } from '../../../lib/services.ts';
import type { SendReply } from './send-reply.ts';

interface Deps {
  readonly httpSettings: HttpSettings;
  /** The services. Requests that arrive before startup is complete wait for this promise. */
  readonly services: Promise<Services>;
  readonly sendReply: SendReply;
  /** Aborted when the grace period of a shutdown ends. */
  readonly shutdown: AbortController;
}

/** A request whose reply has not been completely sent. */
export interface RequestInFlight {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

/** The operation to which a request was routed. */
export interface Destination {
  readonly handler: Operation<Services>;
  /** The path as written in the route table. Undefined if no route matches. */
  readonly route: string | undefined;
  readonly path: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Runs handlers for requests and tracks the requests that are still running. */
export function createRequestsInFlight({ httpSettings, services, sendReply, shutdown }: Deps) {
  let running = 0;
  // The controllers of the requests whose handlers use a signal.
  const waiting = new Set<AbortController>();
  let stopping = false;
  let becameIdle = () => {};

  return {
    /**
     * Runs a request. Resolves when the reply has been passed to the socket. The handler's signal aborts when the client
     * disconnects.
     */
    async run(
      { incoming, outgoing }: RequestInFlight,
      { handler, route, path, parameters }: Destination,
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
        await sendReply(reply, incoming, outgoing, stopping);
      } finally {
        if (controller) waiting.delete(controller);
        running -= 1;
        if (running === 0) becameIdle();
      }
    },

    /** Makes every later reply close its connection. */
    stop(): void {
      stopping = true;
    },

    isStopping: () => stopping,

    /** Resolves when all requests have ended. Aborts the requests that are still running after `graceMs`. */
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

/**
 * Creates the event for a request from values that Node and Hono have already parsed. Parsing a `URL` or `Headers` again
 * would take more time than the whole operation of a small route.
 */
function toEvent(
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
    // With `joinDuplicateHeaders`, only `set-cookie` is a list, and requests do not have this header.
    headers: headers as HttpEvent['headers'],
    pathParameters,
    requestContext: { http: { method, path } },
    body: incoming,
    isBase64Encoded: false,
  };
}
