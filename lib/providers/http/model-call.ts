import { REQUEST_ID_PATTERN } from '../../contract/schema/fields.ts';
import { type BridgeError, toBridgeError } from '../../errors/bridge-error.ts';
import type { HttpClient, HttpResponse, StreamedBody } from '../../net/http-client.ts';
import { type HttpBody, readWhole } from '../../net/response-body.ts';
import type { Clock } from '../../platform/clock.ts';
import type { ProviderContext } from '../provider-port.ts';
import { parseBounded } from './bounded-json.ts';

/** A call of a model that is ready to be sent. */
interface ModelCall {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: StreamedBody;
}

/** Sends a call as a POST request. Reports `dispatched` before the call can have any effect. */
export function sendCall(
  httpClient: Pick<HttpClient, 'request'>,
  { url, ...call }: ModelCall,
  { signal, onEvent }: ProviderContext,
): Promise<HttpResponse> {
  const onSending = () => onEvent({ type: 'progress', stage: 'dispatched' });
  return httpClient.request(url, { method: 'POST', ...call, signal, onSending });
}

interface ReplyOptions {
  readonly signal: AbortSignal;
  /** Names of the headers that may contain the server's request id, in order of preference. */
  readonly idHeaders?: readonly string[];
}

/**
 * Throws an error if the status of the reply is not 2xx. `toFailure` converts the JSON body, which is undefined if the
 * body cannot be read.
 */
export async function throwIfRefused(
  response: HttpResponse,
  toFailure: (body: unknown) => BridgeError,
  { clock, ...options }: ReplyOptions & { readonly clock: Pick<Clock, 'after'> },
): Promise<void> {
  if (response.status >= 200 && response.status <= 299) return;
  const read = async () => {
    throw toFailure(await readErrorBody(response.body, clock));
  };
  await readReply(response, read, options);
}

/**
 * Reads a reply. Rejects with the signal's reason if the signal aborts, otherwise with a `BridgeError`, to which the
 * server's request id is added.
 */
export async function readReply<T>(
  { header }: HttpResponse,
  read: () => Promise<T>,
  { signal, idHeaders = [] }: ReplyOptions,
): Promise<T> {
  try {
    return await read();
  } catch (thrown) {
    signal.throwIfAborted();
    const error = toBridgeError(thrown);
    const id = idHeaders.map(header).find((value) => REQUEST_ID_PATTERN.test(value ?? ''));
    throw id === undefined ? error : error.with({ upstreamRequestId: id });
  }
}

// The body of an error is usually one or two lines and arrives with the headers.
const MAX_BYTES = 65_536;
const TIMEOUT_MS = 2000;
const BOUNDS = { maxNames: 2048, maxNested: 2048 };

/**
 * Reads the JSON body of an error response. Resolves with undefined if the body is not JSON, is longer than 64 KiB,
 * takes longer than two seconds or is incomplete; the status is then the only description of the failure.
 */
export async function readErrorBody(body: HttpBody, clock: Pick<Clock, 'after'>): Promise<unknown> {
  const stopWaiting = clock.after(TIMEOUT_MS, () => body.destroy());
  try {
    const bytes = await readWhole(body, MAX_BYTES);
    return bytes && parseBounded(bytes, BOUNDS);
  } catch {
    return undefined;
  } finally {
    stopWaiting();
  }
}
