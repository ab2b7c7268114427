import { REQUEST_ID_PATTERN } from '../../contract/schema/fields.ts';
import { type BridgeError, toBridgeError } from '../../errors/bridge-error.ts';
import type { HttpClient, HttpResponse, StreamedBody } from '../../net/http-client.ts';
import type { Clock } from '../../platform/clock.ts';
import type { ProviderContext } from '../provider-port.ts';
import { readErrorBody } from './read-error-body.ts';

/** A call of a model, ready to be sent. */
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

interface ReplyForms<T> {
  /** Reads a reply with a 2xx status. */
  readonly read: () => Promise<T>;
  /** Converts the JSON body of any other reply. The body is undefined if it cannot be read. */
  readonly toFailure: (body: unknown) => BridgeError;
  /** Names of the headers that may contain the server's request id, in order of preference. */
  readonly idHeaders?: readonly string[];
}

/**
 * Reads the reply to a call. Rejects with the signal's reason if the signal aborts, otherwise with a `BridgeError`, to
 * which the server's request id is added.
 */
export async function readReply<T>(
  { status, header, body }: HttpResponse,
  { read, toFailure, idHeaders = [] }: ReplyForms<T>,
  { signal, clock }: { readonly signal: AbortSignal; readonly clock: Pick<Clock, 'after'> },
): Promise<T> {
  try {
    if (status >= 200 && status <= 299) return await read();
    throw toFailure(await readErrorBody(body, clock));
  } catch (thrown) {
    signal.throwIfAborted();
    const error = toBridgeError(thrown);
    const id = idHeaders.map(header).find((value) => REQUEST_ID_PATTERN.test(value ?? ''));
    throw id === undefined ? error : error.with({ upstreamRequestId: id });
  }
}
