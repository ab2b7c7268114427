import type { LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import type { Agent, Dispatcher } from 'undici';
import { BridgeError } from '../errors/bridge-error.ts';
import { createOnce } from '../platform/once.ts';
import { createResponseBody, type HttpBody, type ResponseBody } from './response-body.ts';

/** A body that is made while it is sent. */
export interface StreamedBody {
  readonly byteLength: number;
  /** Yields the body from its beginning, at every call. No more is asked for than the connection takes. */
  chunks(signal: AbortSignal): AsyncIterable<Buffer>;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  /** Names in lower case; `host`, `connection` and `content-length` are not the caller's. */
  readonly headers: Readonly<Record<string, string>>;
  /** Sent with its `content-length`. */
  readonly body?: string | Buffer | StreamedBody;
  /** Ends the request, or the reading of its response, and closes its connection at once. */
  readonly signal: AbortSignal;
  /** Called just before the first byte goes out; a request that fails without this call has had no effect. */
  readonly onSending?: () => void;
  /** The longest silence between the request and the head of its response, to within a second; unlimited without it. */
  readonly headersTimeoutMs?: number;
}

export interface HttpResponse {
  readonly status: number;
  /** The value under a name in lower case; repeated ones are joined by commas. */
  header(name: string): string | undefined;
  /** Rejects as `request` does when the response is cut. */
  readonly body: HttpBody;
}

export interface HttpClient {
  /**
   * Sends one request to an http or https address and resolves with the head of the response, whatever its status.
   * Redirects are not followed, nothing is repeated, no proxy of the environment is used. Rejects with the signal's
   * reason when it aborts. Throws `upstream`, retryable, when certainly nothing was sent: no address, no connection, no
   * TLS; throws `protocol` of unknown outcome when the connection failed, or the response was malformed, afterwards.
   */
  request(url: string, request: HttpRequest): Promise<HttpResponse>;
  /** Ends all requests and resolves when no connection is open any more. */
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 10_000;
// The heads of some backends carry long policies and many cookies; Node's own bound is 16 KiB.
const MAX_HEAD_BYTES = 65_536;

// Each may be as long as a final head, and servers send one or two.
const MAX_INFORMATIONAL = 16;

/** How connections are made. */
export interface ConnectOptions {
  /** The addresses of names, instead of the operating system's; an address that stands in a URL is not looked up. */
  readonly lookup?: LookupFunction;
  /** The certificate authority to trust, in PEM, instead of the default ones. */
  readonly ca?: string;
}

/** A pool of connections; one that is free is used again for the same origin. */
export function createHttpClient(connectOptions: ConnectOptions = {}): HttpClient {
  const opened = createOnce(() => openAgent(connectOptions));
  let isClosed = false;
  return {
    async request(url, request) {
      request.signal.throwIfAborted();
      const agent = await opened.get();
      request.signal.throwIfAborted();
      if (isClosed) throw notSent(undefined);
      return dispatch(agent, new URL(url), request);
    },
    async close() {
      isClosed = true;
      await (await opened.made()?.catch(() => undefined))?.destroy();
    },
  };
}

/** Imports undici, which starting up does not wait for. Throws `internal`. */
async function openAgent(connectOptions: ConnectOptions): Promise<Agent> {
  const { Agent } = await import('undici').catch((cause: unknown) => {
    throw new BridgeError('internal', 'the HTTP library cannot be loaded', { cause });
  });
  return new Agent({
    connect: { ...connectOptions, timeout: CONNECT_TIMEOUT_MS },
    maxHeaderSize: MAX_HEAD_BYTES,
    // How long an image may take is for the caller's signal to say.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

/** One request, from the wait for a connection to the end of the response. */
function dispatch(agent: Agent, url: URL, request: HttpRequest): Promise<HttpResponse> {
  const { signal, onSending } = request;
  return new Promise((resolve, reject) => {
    let connection: Dispatcher.DispatchController | undefined;
    let body: ResponseBody | undefined;
    let informational = 0;
    const toFailure = (cause: unknown): unknown => {
      if (signal.aborted) return signal.reason;
      return connection ? lost(cause) : notSent(cause);
    };
    const fail = (cause: unknown) => {
      const failure = toFailure(cause);
      if (body) body.fail(failure);
      else reject(failure);
    };
    const abort = () => {
      fail(signal.reason);
      connection?.abort(cancelled());
    };
    const unfollow = () => signal.removeEventListener('abort', abort);
    signal.addEventListener('abort', abort, { once: true });

    agent.dispatch(toDispatch(url, request), {
      onRequestStart(controller) {
        // The abort came while there was no connection yet: this is the last moment before the first byte.
        if (signal.aborted) return controller.abort(cancelled());
        connection = controller;
        onSending?.();
      },
      onResponseStart(controller, status, headers) {
        // Such as 103: the final response follows.
        if (status < 200) {
          informational += 1;
          if (informational > MAX_INFORMATIONAL)
            controller.abort(new Error('too many early heads'));
          return;
        }
        body = createResponseBody(controller, unfollow);
        resolve({ status, header: (name) => joined(headers[name]), body });
      },
      onResponseData(_controller, chunk) {
        body?.push(chunk);
      },
      onResponseEnd() {
        body?.end();
      },
      onResponseError(_controller, cause) {
        if (!body) unfollow();
        fail(cause);
      },
    });
  });
}

function toDispatch(url: URL, request: HttpRequest): Dispatcher.DispatchOptions {
  const { method, headersTimeoutMs } = request;
  return {
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method,
    ...toContent(request),
    ...(headersTimeoutMs === undefined ? {} : { headersTimeout: headersTimeoutMs }),
  };
}

function toContent({ headers, body, signal }: HttpRequest) {
  if (body === undefined) return { headers };
  if (typeof body === 'string' || Buffer.isBuffer(body)) return { headers, body };
  return {
    headers: { ...headers, 'content-length': String(body.byteLength) },
    body: Readable.from(body.chunks(signal), { objectMode: false }),
  };
}

function joined(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}

function notSent(cause: unknown): BridgeError {
  return new BridgeError('upstream', 'the upstream cannot be reached', {
    retryable: true,
    effect: 'not_begun',
    cause,
  });
}

function lost(cause: unknown): BridgeError {
  return new BridgeError('protocol', 'the connection to the upstream was lost', {
    effect: 'unknown',
    cause,
  });
}

function cancelled(): Error {
  return new Error('the request was cancelled');
}
