import type { HttpClient, HttpResponse, StreamedBody } from '../../net/http-client.ts';
import type { Clock } from '../../platform/clock.ts';
import { fromReply } from '../backend/backend-errors.ts';
import type { CredentialSource } from '../credentials/credential-source.ts';
import type { Credentials } from '../credentials/credentials.ts';
import { readReply, sendCall, throwIfRefused } from '../http/model-call.ts';
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
  function post(body: StreamedBody, login: Credentials, context: ProviderContext) {
    const { accessToken, accountId } = login;
    const headers = {
      authorization: `Bearer ${accessToken}`,
      ...(accountId === undefined ? {} : { 'chatgpt-account-id': accountId }),
      originator: 'image-bridge',
      'content-type': 'application/json',
      accept: 'text/event-stream',
    };
    return sendCall(httpClient, { url: endpoint, headers, body }, context);
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

  return {
    /** Runs one call. Rejects with the signal's reason if the signal aborts, otherwise with a `BridgeError`. */
    async call(
      body: StreamedBody,
      request: CallFacts,
      context: ProviderContext,
    ): Promise<ProviderResult> {
      const response = await responseTo(body, context);
      const { status, header, body: reply } = response;
      const { signal, onEvent } = context;
      const options = { signal, clock, idHeaders: ['x-request-id'] };
      const toRefusal = (json: unknown) =>
        fromReply(status, json, request, retryAfterMs(header('retry-after'), clock.nowMs()));
      await throwIfRefused(response, toRefusal, options);
      const outcome = createCallOutcome(request, onEvent);
      return readReply(response, () => streams.read(reply, outcome, signal), options);
    },
  };
}
