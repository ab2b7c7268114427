import type { Readable } from 'node:stream';
import type { Dispatcher, Agent as UndiciAgent } from 'undici';

/** One request as it is to be sent. */
export interface ForwardedRequest {
  /** Such as `http://127.0.0.1:8788`. */
  readonly origin: string;
  readonly method: string;
  /** The request target as the client sent it. */
  readonly target: string;
  /** Names and values in turn, `Host` included and no header of the connection. */
  readonly headers: readonly string[];
  /** Sent with its `content-length` when the headers have one, in chunks otherwise. */
  readonly body: Readable | undefined;
}

/** Takes a reply as it comes. After `fail` or `end` nothing is called any more. */
export interface ReplySink {
  /** Called when a connection is there, just before the first byte is sent; `false` gives the request up. */
  sending(): boolean;
  /** The headers are names and values in turn, as they were received. */
  head(status: number, headers: readonly string[]): void;
  /** Returns whether more may follow at once. Otherwise nothing follows before `resume`. */
  chunk(bytes: Uint8Array): boolean;
  end(): void;
  fail(cause: unknown): void;
}

export interface Forwarding {
  resume(): void;
  /** Closes the connection; a request that has none yet is never sent. `fail` follows. */
  abort(): void;
}

export interface Forwarder {
  /** Sends a request once, whatever happens to its connection. */
  forward(request: ForwardedRequest, sink: ReplySink): Forwarding;
  /** Ends all requests and resolves when no connection is open any more. */
  close(): Promise<void>;
}

interface Options {
  /** The longest silence within the body of a reply, to within a second. Time in which the sink takes nothing is free. */
  readonly idleMs: number;
}

const CONNECT_TIMEOUT_MS = 10_000;
const MAX_HEAD_BYTES = 65_536;
// Far below the time after which a server closes an idle connection, so that no request meets the close.
const KEPT_MS = 1000;

/** Connections to servers that a gateway stands before. */
export async function createForwarder({ idleMs }: Options): Promise<Forwarder> {
  const { Agent } = await import('undici');
  const agent: UndiciAgent = new Agent({
    connect: { timeout: CONNECT_TIMEOUT_MS },
    maxHeaderSize: MAX_HEAD_BYTES,
    keepAliveTimeout: KEPT_MS,
    keepAliveMaxTimeout: KEPT_MS,
    // How long a reply may take is for the caller to say.
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
      // A second start would be a second request.
      if (isGivenUp || connection || !sink.sending()) return controller.abort(givenUp());
      connection = controller;
    },
    onResponseStart(controller, status) {
      // Such as 103: the final response follows.
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

/** HTTP/1.1 gives the headers as one list of bytes or text, names and values in turn. */
function toTexts(raw: Dispatcher.DispatchController['rawHeaders']): readonly string[] {
  return Array.isArray(raw) ? raw.map((part) => part.toString('latin1')) : [];
}

function givenUp(): Error {
  return new Error('the request was given up');
}
