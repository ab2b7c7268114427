import { REQUEST_ID_PATTERN } from '../../contract/fields.ts';
import { type BridgeError, toBridgeError } from '../../errors/bridge-error.ts';
import type { HttpAnswer, HttpClient } from '../../net/http-client.ts';
import { readWhole } from '../../net/read-whole.ts';
import type { CredentialSource } from '../credentials/credential-source.ts';
import type { Credentials } from '../credentials/credentials.ts';
import type { ProviderContext, ProviderRequest, ProviderResult } from '../provider-port.ts';
import { type FailedCall, fromStatus } from './backend-errors.ts';
import { parseErrorBody } from './backend-event.ts';
import {
  type CallOutcome,
  createCallOutcome,
  toBackendFailure,
  unknownOutcome,
} from './call-outcome.ts';
import { retryAfterMs } from './retry-after.ts';
import { createSseReader, type StreamLimits } from './sse-reader.ts';

interface Deps {
  readonly httpClient: HttpClient;
  readonly credentials: Pick<CredentialSource, 'current' | 'refreshAfter'>;
  /** `providers.agent_responses.endpoint`. */
  readonly endpoint: string;
  readonly limits: StreamLimits;
  readonly nowMs: () => number;
}

export type BackendClient = ReturnType<typeof createBackendClient>;

// An error's body is a line or two; what is longer tells no more.
const MAX_ERROR_BYTES = 65_536;

/** Speaks the backend's protocol: one POST, one stream of events, one picture. */
export function createBackendClient({ httpClient, credentials, endpoint, limits, nowMs }: Deps) {
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
  async function answerTo(body: readonly Buffer[], context: ProviderContext): Promise<HttpAnswer> {
    const login = await credentials.current(context.signal);
    const answer = await post(body, login, context);
    if (answer.status !== 401) return answer;
    answer.body.destroy();
    return post(body, await credentials.refreshAfter(login, context.signal), context);
  }

  async function refusalOf(answer: HttpAnswer, call: FailedCall): Promise<BridgeError> {
    const bytes = await readWhole(answer.body, MAX_ERROR_BYTES).catch(() => undefined);
    const error = parseErrorBody(parseJson(bytes)) ?? {};
    const wait = retryAfterMs(answer.header('retry-after'), nowMs());
    return fromStatus(answer.status, toBackendFailure(error, wait), call);
  }

  return {
    /** Rejects with a `BridgeError` that says what is known of the call, or with the signal's reason. */
    async call(
      body: readonly Buffer[],
      request: ProviderRequest,
      context: ProviderContext,
    ): Promise<ProviderResult> {
      const answer = await answerTo(body, context);
      const id = answer.header('x-request-id');
      const upstreamRequestId = id !== undefined && REQUEST_ID_PATTERN.test(id) ? id : undefined;
      const call: FailedCall = { request, upstreamRequestId };
      if (answer.status < 200 || answer.status > 299) throw await refusalOf(answer, call);
      const outcome = createCallOutcome(call, request.indices[0] ?? 0, context.onEvent);
      try {
        await readEvents(answer, outcome, limits);
        return outcome.result();
      } catch (thrown) {
        context.signal.throwIfAborted();
        const error = toBridgeError(thrown);
        // A picture has come and may be paid for: whatever failed after it, asking again would be a second one.
        const isFinal = outcome.hasImage() && error.transient;
        throw error.with({
          ...(upstreamRequestId === undefined ? {} : { upstreamRequestId }),
          ...(isFinal ? { transient: false } : {}),
        });
      }
    },
  };
}

/** Reads until the outcome is complete, or the stream ends. Leaving the loop closes the connection. */
async function readEvents(
  answer: HttpAnswer,
  outcome: CallOutcome,
  limits: StreamLimits,
): Promise<void> {
  const reader = createSseReader(limits, (data) => outcome.take(data));
  for await (const chunk of answer.body) {
    const fault = reader.push(chunk);
    if (fault && !outcome.isCompleted()) throw unknownOutcome(fault);
    if (outcome.isCompleted()) return;
  }
}

function parseJson(bytes: Buffer | undefined): unknown {
  try {
    return JSON.parse(bytes?.toString('utf8') ?? '');
  } catch {
    // A refusal without a body that we can read is told by its status alone.
    return undefined;
  }
}
