import { REQUEST_ID_PATTERN } from '../../contract/schema/fields.ts';
import { type BridgeError, toBridgeError } from '../../errors/bridge-error.ts';
import type { HttpClient, HttpResponse, StreamedBody } from '../../net/http-client.ts';
import type { Clock } from '../../platform/clock.ts';
import { fromStatus } from '../backend/backend-errors.ts';
import { parseErrorBody, toBackendFailure } from '../backend/failures.ts';
import type { CredentialSource } from '../credentials/credential-source.ts';
import type { Credentials } from '../credentials/credentials.ts';
import { readErrorBody } from '../http/read-error-body.ts';
import { retryAfterMs } from '../http/retry-after.ts';
import type { EventStreams } from '../http/sse.ts';
import type { CallFacts, ProviderContext, ProviderResult } from '../provider-port.ts';
import { createCallOutcome } from './call-outcome.ts';

interface Deps {
  readonly httpClient: Pick<HttpClient, 'request'>;
  readonly credentials: Pick<CredentialSource, 'current' | 'refreshAfter'>;
  /** The setting `providers.agent_responses.endpoint`. */
  readonly endpoint: string;
  readonly streams: EventStreams;
  readonly clock: Clock;
}

/** Creates a client for the backend: one POST returns one stream of events with one image. */
export function createBackendClient({ httpClient, credentials, endpoint, streams, clock }: Deps) {
  function post(body: StreamedBody, login: Credentials, { signal, onEvent }: ProviderContext) {
    const { accountId } = login;
    return httpClient.request(endpoint, {
      method: 'POST',
      headers: {
        authorization: login.authorization(),
        ...(accountId === undefined ? {} : { 'chatgpt-account-id': accountId }),
        originator: 'image-bridge',
        'content-type': 'application/json',
        accept: 'text/event-stream',
      },
      body,
      signal,
      onSending: () => onEvent({ type: 'progress', stage: 'dispatched' }),
    });
  }

  /**
   * Sends the call and resolves with the response. A 401 renews the login and repeats the call once; the repetition
   * does not count as a new attempt.
   */
  async function responseTo(body: StreamedBody, context: ProviderContext): Promise<HttpResponse> {
    const login = await credentials.current(context.signal);
    const response = await post(body, login, context);
    if (response.status !== 401) return response;
    response.body.destroy();
    return post(body, await credentials.refreshAfter(login, context.signal), context);
  }

  async function refusalOf(
    { status, header, body }: HttpResponse,
    request: CallFacts,
  ): Promise<BridgeError> {
    const error = parseErrorBody(await readErrorBody(body, clock));
    const waitMs = retryAfterMs(header('retry-after'), clock.nowMs());
    return fromStatus(status, toBackendFailure(error ? [error] : [], waitMs), request);
  }

  async function readResponse(
    response: HttpResponse,
    request: CallFacts,
    { onEvent, signal }: ProviderContext,
  ): Promise<ProviderResult> {
    if (response.status < 200 || response.status > 299) throw await refusalOf(response, request);
    return streams.read(response.body, createCallOutcome(request, onEvent), signal);
  }

  return {
    /** Runs one call. Rejects with the signal's reason if the signal aborts, otherwise with a `BridgeError`. */
    async call(
      body: StreamedBody,
      request: CallFacts,
      context: ProviderContext,
    ): Promise<ProviderResult> {
      const response = await responseTo(body, context);
      try {
        return await readResponse(response, request, context);
      } catch (thrown) {
        context.signal.throwIfAborted();
        const id = response.header('x-request-id') ?? '';
        const error = toBridgeError(thrown);
        throw REQUEST_ID_PATTERN.test(id) ? error.with({ upstreamRequestId: id }) : error;
      }
    },
  };
}
