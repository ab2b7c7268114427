import { toBridgeError } from '../../errors/bridge-error.ts';
import type { HttpClient, HttpResponse, StreamedBody } from '../../net/http-client.ts';
import type { Clock } from '../../platform/clock.ts';
import { type ApiKeySource, callWithKey } from '../credentials/api-key.ts';
import { readErrorBody } from '../http/read-error-body.ts';
import { retryAfterMs } from '../http/retry-after.ts';
import type { EventStreams } from '../http/sse.ts';
import type { CallFacts, ProviderContext, ProviderResult } from '../provider-port.ts';
import { createCallOutcome } from './call-outcome.ts';
import { type GoogleError, parseGoogleError, toFailure } from './failures.ts';

interface Deps {
  readonly httpClient: Pick<HttpClient, 'request'>;
  readonly apiKey: ApiKeySource;
  readonly baseUrl: string;
  /** Reads a reply, which is one JSON object, as one event. */
  readonly replies: EventStreams;
  readonly clock: Clock;
}

/** Creates a client for `models.generateContent`: one POST returns one reply with one image. */
export function createGeminiClient({ httpClient, apiKey, baseUrl, replies, clock }: Deps) {
  function post(
    body: StreamedBody,
    key: string | undefined,
    model: string,
    { signal, onEvent }: ProviderContext,
  ): Promise<HttpResponse> {
    const url = `${baseUrl}/v1beta/models/${encodeURIComponent(model)}:generateContent`;
    return httpClient.request(url, {
      method: 'POST',
      headers: {
        ...(key === undefined ? {} : { 'x-goog-api-key': key }),
        'content-type': 'application/json',
        accept: 'application/json',
      },
      body,
      signal,
      onSending: () => onEvent({ type: 'progress', stage: 'dispatched' }),
    });
  }

  async function read(
    response: HttpResponse,
    request: CallFacts,
    signal: AbortSignal,
  ): Promise<ProviderResult> {
    const { status, header, body } = response;
    const waitMs = retryAfterMs(header('retry-after'), clock.nowMs());
    if (status < 200 || status > 299) {
      throw toFailure(status, parseGoogleError(await readErrorBody(body, clock)), waitMs, request);
    }
    const toReported = (error: GoogleError) =>
      toFailure(error.code ?? status, error, waitMs, request);
    return replies.read(body, createCallOutcome(request, toReported), signal);
  }

  return {
    /** Runs one call. Rejects with the signal's reason if the signal aborts, otherwise with a `BridgeError`. */
    call(
      body: StreamedBody,
      request: CallFacts,
      context: ProviderContext,
    ): Promise<ProviderResult> {
      return callWithKey(apiKey, async (key) => {
        const response = await post(body, key, request.model, context);
        try {
          return await read(response, request, context.signal);
        } catch (thrown) {
          context.signal.throwIfAborted();
          throw toBridgeError(thrown);
        }
      });
    },
  };
}
