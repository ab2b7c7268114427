import type { LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import type { Agent, Dispatcher } from 'undici';
import { BridgeError } from '../errors/bridge-error.ts';
import { createOnce } from '../platform/once.ts';
import { createPacedCalls } from '../platform/paced-calls.ts';
import { createResponseBody, type HttpBody, type ResponseBody } from './response-body.ts';

/** A body that is generated while the request is sent. */
export interface StreamedBody {
  readonly byteLength: number;
  /** Yields the whole body from the start at every call. Chunks are requested only as fast as the connection accepts them. */
  chunks(signal: AbortSignal): AsyncIterable<Buffer>;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** The headers by lowercase name, without `host`, `connection` and `content-length`, which the client sets. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body, sent with `content-length`. */
  readonly body?: string | Buffer | StreamedBody;
  /** Aborts the request or the reading of its response, and closes the connection immediately. */
  readonly signal: AbortSignal;
  /** Called just before the first byte is sent. A request that fails before this call had no effect. */
  readonly onSending?: () => void;
  /** The maximum time between the request and the response head, with a precision of one second. Unlimited by default. */
  readonly headersTimeoutMs?: number;
}

export interface HttpResponse {
  readonly status: number;
  /**
   * Returns the value of a header by its lowercase name. Repeated headers are joined by commas. Returns undefined if the header is
   * absent.
   */
  header(name: string): string | undefined;
  /** The body. Reading rejects like `request` if the response is cut off. */
  readonly body: HttpBody;
}

export interface HttpClient {
  /**
   * Sends one request to an http or https URL and resolves with the response head, for any status. Redirects are not followed,
   * the request is never repeated, and proxy settings in environment variables are ignored. Rejects with the reason of the
   * signal on abort. Throws a retryable `upstream` error if name resolution, the connection or TLS failed, because nothing was
   * sent. Throws a `protocol` error with an unknown outcome if the connection failed later or the response was malformed.
   */
  request(url: string, request: HttpRequest): Promise<HttpResponse>;
  /** Aborts all requests and resolves when all connections are closed. */
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 10_000;
// Node's default of 16 KiB is too low, because some backends send long policies and many cookies in the response head.
const MAX_HEAD_BYTES = 65_536;

// Servers usually send one or two informational responses. A limit is needed because each head may have `MAX_HEAD_BYTES`.
const MAX_INFORMATIONAL = 16;

// The number of bodies whose reading is resumed in one turn of the event loop. If all bodies of 64 streams were resumed together, one
// turn would read 4 MB.
const RESUMED_IN_TURN = 16;

interface ConnectOptions {
  /** Resolves host names in place of the resolver of the operating system. Not called for a URL with an IP address. */
  readonly lookup?: LookupFunction;
  /** The trusted certificate authority in PEM format, which replaces the default authorities. */
  readonly ca?: string;
}

/** Creates a client that reuses connections to the same origin. */
export function createHttpClient(connectOptions: ConnectOptions = {}): HttpClient {
  const opened = createOnce(() => openAgent(connectOptions));
  const pace = createPacedCalls(RESUMED_IN_TURN);
  let isClosed = false;
  return {
    async request(url, request) {
      request.signal.throwIfAborted();
      const agent = await opened.get();
      request.signal.throwIfAborted();
      if (isClosed) throw notSent(undefined);
      return dispatch({ agent, pace }, new URL(url), request);
    },
    async close() {
      isClosed = true;
      await (await opened.made()?.catch(() => undefined))?.destroy();
    },
  };
}

/** Imports undici and opens an agent. Called on the first request, so that the import does not delay the start. */
async function openAgent(connectOptions: ConnectOptions): Promise<Agent> {
  const { Agent } = await import('undici').catch((cause: unknown) => {
    throw new BridgeError('internal', 'the HTTP library could not be loaded', { cause });
  });
  return new Agent({
    connect: { ...connectOptions, timeout: CONNECT_TIMEOUT_MS },
    maxHeaderSize: MAX_HEAD_BYTES,
    // The caller's signal limits the time of a request.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

interface Connections {
  readonly agent: Agent;
  /** Makes a call that resumes the reading of a body, now or in a later turn of the event loop. */
  readonly pace: (resume: () => void) => void;
}

/** Sends one request and resolves with its response. */
function dispatch(
  { agent, pace }: Connections,
  url: URL,
  request: HttpRequest,
): Promise<HttpResponse> {
  const { signal, onSending } = request;
  return new Promise((resolve, reject) => {
    let connection: Dispatcher.DispatchController | undefined;
    let body: ResponseBody | undefined;
    let informational = 0;
    const fail = (cause: unknown) => {
      const error = connection ? lost(cause) : notSent(cause);
      const failure = signal.aborted ? signal.reason : error;
      if (body) body.fail(failure);
      else reject(failure);
    };
    const abort = () => {
      fail(signal.reason);
      connection?.abort(cancelled());
    };
    const unfollow = () => signal.removeEventListener('abort', abort);
    signal.addEventListener('abort', abort, { once: true });

    const { method, headersTimeoutMs } = request;
    const options: Dispatcher.DispatchOptions = {
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method,
      ...toContent(request),
      ...(headersTimeoutMs === undefined ? {} : { headersTimeout: headersTimeoutMs }),
    };
    agent.dispatch(options, {
      onRequestStart(controller) {
        // The signal may have aborted before a connection was available. This is the last check before the first byte.
        if (signal.aborted) return controller.abort(cancelled());
        connection = controller;
        onSending?.();
      },
      onResponseStart(controller, status, headers) {
        // The final response follows an informational response such as 103.
        if (status < 200) {
          informational += 1;
          if (informational > MAX_INFORMATIONAL)
            controller.abort(new Error('too many informational responses'));
          return;
        }
        body = createResponseBody(controller, { pace, onClose: unfollow });
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
  return new BridgeError('upstream', 'the upstream is unreachable', {
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
