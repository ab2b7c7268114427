import { REQUEST_ID_PATTERN } from '../../contract/schema/fields.ts';
import { type BridgeError, toBridgeError } from '../../errors/bridge-error.ts';
import type { HttpClient, HttpResponse, StreamedBody } from '../../net/http-client.ts';
import type { Clock } from '../../platform/clock.ts';
import type { ProviderContext } from '../provider-port.ts';
import { readErrorBody } from './read-error-body.ts';

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
