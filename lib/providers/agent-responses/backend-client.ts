import { REQUEST_ID_PATTERN } from '../../contract/schema/fields.ts';
import { type BridgeError, toBridgeError } from '../../errors/bridge-error.ts';
import type { HttpClient, HttpResponse } from '../../net/http-client.ts';
import { readWhole } from '../../net/read-whole.ts';
import type { Clock } from '../../platform/clock.ts';
import type { CredentialSource } from '../credentials/credential-source.ts';
import type { Credentials } from '../credentials/credentials.ts';
import { retryAfterMs } from '../http/retry-after.ts';
import type { StreamLimits } from '../http/sse-reader.ts';
import type { ProviderContext, ProviderRequest, ProviderResult } from '../provider-port.ts';
import { fromStatus } from './backend-errors.ts';
import { parseErrorBody } from './backend-event.ts';
import { toBackendFailure } from './backend-failure.ts';
import { createCallOutcome } from './call-outcome.ts';
import { createStreamReader } from '../http/event-streams.ts';

interface Deps {
  readonly httpClient: Pick<HttpClient, 'request'>;
  readonly credentials: Pick<CredentialSource, 'current' | 'refreshAfter'>;
  /** `providers.agent_responses.endpoint`. */
  readonly endpoint: string;
  readonly limits: StreamLimits;
  readonly clock: Clock;
}

export type BackendClient = ReturnType<typeof createBackendClient>;

// An error's body is a line or two, and comes with its head; what is longer or later tells no more than the status.
const MAX_ERROR_BYTES = 65_536;
const ERROR_BODY_TIMEOUT_MS = 2000;

/** Speaks the backend's protocol: one POST, one stream of events, one image. */
export function createBackendClient({ httpClient, credentials, endpoint, limits, clock }: Deps) {
  const readStream = createStreamReader(limits, clock);

  function post(body: readonly Buffer[], login: Credentials, { signal, onEvent }: ProviderContext) {
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

  /** The answer to the call. A 401 renews the login once; that is no new try of the call. */
  async function answerTo(
    body: readonly Buffer[],
    context: ProviderContext,
  ): Promise<HttpResponse> {
    const login = await credentials.current(context.signal);
    const answer = await post(body, login, context);
    if (answer.status !== 401) return answer;
    answer.body.destroy();
    return post(body, await credentials.refreshAfter(login, context.signal), context);
  }

  async function refusalOf(answer: HttpResponse, request: ProviderRequest): Promise<BridgeError> {
    const stopWaiting = clock.after(ERROR_BODY_TIMEOUT_MS, () => answer.body.destroy());
    const bytes = await readWhole(answer.body, MAX_ERROR_BYTES).catch(() => undefined);
    stopWaiting();
    const error = parseErrorBody(parseJson(bytes));
    const waitMs = retryAfterMs(answer.header('retry-after'), clock.nowMs());
    return fromStatus(answer.status, toBackendFailure(error ? [error] : [], waitMs), request);
  }

  async function readAnswer(
    answer: HttpResponse,
    request: ProviderRequest,
    { onEvent }: ProviderContext,
  ): Promise<ProviderResult> {
    if (answer.status < 200 || answer.status > 299) throw await refusalOf(answer, request);
    const outcome = createCallOutcome(request, onEvent);
    try {
      await readStream(answer.body, outcome);
      return outcome.result();
    } catch (thrown) {
      throw outcome.hasBegun() ? toBridgeError(thrown).with({ transient: false }) : thrown;
    }
  }

  return {
    /** Rejects with a `BridgeError` that says what is known of the call, or with the signal's reason. */
    async call(
      body: readonly Buffer[],
      request: ProviderRequest,
      context: ProviderContext,
    ): Promise<ProviderResult> {
      const answer = await answerTo(body, context);
      try {
        return await readAnswer(answer, request, context);
      } catch (thrown) {
        context.signal.throwIfAborted();
        const id = answer.header('x-request-id') ?? '';
        const error = toBridgeError(thrown);
        throw REQUEST_ID_PATTERN.test(id) ? error.with({ upstreamRequestId: id }) : error;
      }
    },
  };
}

function parseJson(bytes: Buffer | undefined): unknown {
  try {
    return JSON.parse(bytes?.toString('utf8') ?? '');
  } catch {
    // A refusal without a body that we can read is told by its status alone.
    return undefined;
  }
}
