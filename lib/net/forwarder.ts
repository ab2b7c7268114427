import type { Readable } from 'node:stream';
import type { Dispatcher, Agent as UndiciAgent } from 'undici';

export interface ForwardedRequest {
  /** The origin of the server, such as `http://127.0.0.1:8788`. */
  readonly origin: string;
  readonly method: string;
  /** The request target as sent by the client. */
  readonly target: string;
  /** Alternating names and values. `Host` is included, and headers of the connection are not. */
  readonly headers: readonly string[];
  /** The body, sent in chunks unless the headers contain `content-length`. */
  readonly body: Readable | undefined;
}

/** Receives a reply while the reply arrives. No function is called after `fail` or `end`. */
export interface ReplySink {
  /** Called when a connection is available, just before the first byte is sent. Returns false to abort the request. */
  sending(): boolean;
  /** Called with the status and the received headers as alternating names and values. */
  head(status: number, headers: readonly string[]): void;
  /** Receives a chunk of the body. If the function returns false, the next chunk follows after `resume`. */
  chunk(bytes: Uint8Array): boolean;
  end(): void;
  fail(cause: unknown): void;
}

export interface Forwarding {
  resume(): void;
  /** Closes the connection, then calls `fail`. A request that does not have a connection yet is not sent. */
  abort(): void;
}

export interface Forwarder {
  /** Sends a request at most once, without retries. */
  forward(request: ForwardedRequest, sink: ReplySink): Forwarding;
  /** Aborts all requests and resolves when all connections are closed. */
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 10_000;
const MAX_HEAD_BYTES = 65_536;
// Far below the time after which servers close idle connections, so that no request is sent on a connection that is closing.
const KEPT_MS = 1000;

/**
 * Creates the forwarder that connects a gateway to its servers. `idleMs` is the maximum pause within the body of a reply, with a
 * precision of one second. The time while the sink is paused does not count.
 */
export async function createForwarder(idleMs: number): Promise<Forwarder> {
  const { Agent } = await import('undici');
  const agent: UndiciAgent = new Agent({
    connect: { timeout: CONNECT_TIMEOUT_MS },
    maxHeaderSize: MAX_HEAD_BYTES,
    keepAliveTimeout: KEPT_MS,
    keepAliveMaxTimeout: KEPT_MS,
    // The caller limits the time until the reply.
    headersTimeout: 0,
    bodyTimeout: idleMs,
  });
  return {
    forward: (request, sink) => forward(agent, request, sink),
    close: () => agent.destroy(),
  };
}

function forward(agent: UndiciAgent, request: ForwardedRequest, sink: ReplySink): Forwarding {
  const { origin, method, target: path, headers, body = null } = request;
  let connection: Dispatcher.DispatchController | undefined;
  let isGivenUp = false;
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(controller) {
      // A second start would send the request twice.
      if (isGivenUp || connection || !sink.sending()) return controller.abort(givenUp());
      connection = controller;
    },
    onResponseStart(controller, status) {
      // The final response follows an informational response such as 103.
      if (status >= 200) sink.head(status, toTexts(controller.rawHeaders));
    },
    onResponseData(controller, bytes) {
      if (!sink.chunk(bytes)) controller.pause();
    },
    onResponseEnd: () => sink.end(),
    onResponseError: (_controller, cause) => sink.fail(cause),
  };
  agent.dispatch({ origin, path, method, headers: [...headers], body }, handler);
  return {
    resume: () => connection?.resume(),
    abort() {
      isGivenUp = true;
      connection?.abort(givenUp());
    },
  };
}

/** Decodes raw headers. HTTP/1.1 headers are one list of bytes or text, alternating names and values. */
function toTexts(raw: Dispatcher.DispatchController['rawHeaders']): readonly string[] {
  return Array.isArray(raw) ? raw.map((part) => part.toString('latin1')) : [];
}

function givenUp(): Error {
  return new Error('the request was aborted');
}
