import { BridgeError } from '../../errors/bridge-error.ts';
import type { HttpRequest, HttpResponse, StreamedBody } from '../../net/http-client.ts';
import { linkSignal } from '../../platform/linked-signal.ts';
import { callWithKey } from '../credentials/api-key.ts';
import { unknownOutcome } from '../failed-calls.ts';
import { readJsonReply } from '../http/json-reply.ts';
import { readErrorBody, sendCall } from '../http/model-call.ts';
import { waitMsOf } from '../http/retry-after.ts';
import type { StreamedJson } from '../http/streamed-json.ts';
import type { NamedProviderParts } from '../provider-parts.ts';
import type { ProviderContext } from '../provider-port.ts';
import { isRepeatable, toReadRefusal, toRefusal } from './task-failures.ts';
import type { TaskFacts, TaskReply, TaskService, TaskState } from './task-service.ts';
import type { TaskTiming } from './task-timing.ts';

interface Deps
  extends Pick<NamedProviderParts<'task'>, 'httpClient' | 'apiKey' | 'clock' | 'slices'> {
  readonly service: TaskService;
  readonly timing: TaskTiming;
  /** Maximum length of a reply in bytes, with its images. */
  readonly maxReplyBytes: number;
}

interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: StreamedBody;
}

/** A 2xx reply with JSON. */
export interface SuccessReply {
  readonly reply: TaskReply;
  /** Decodes the images in the reply. */
  readonly json: StreamedJson;
}

/** The state of a task in one reply. If `found` is undefined, the read must be repeated. */
interface ReadState {
  readonly found?: { readonly state: TaskState; readonly json: StreamedJson };
  /** Wait before the next read that the service asks for, otherwise 0. */
  readonly waitMs: number;
}

type Rejection = Parameters<typeof toRefusal>[0];

/** Creates the requests and replies that the methods of the client share. */
function createExchanges(deps: Deps) {
  const { service, httpClient, clock, slices, timing, maxReplyBytes } = deps;
  return {
    headersOf(key: string | undefined): Readonly<Record<string, string>> {
      return { accept: 'application/json', ...(key === undefined ? {} : service.keyHeaders(key)) };
    },

    async rejectionOf(response: HttpResponse, call: TaskFacts): Promise<Rejection> {
      const { status, header, body } = response;
      const value = await readErrorBody(body, clock);
      const failure = service.failure({ status, header, value }, call);
      return { status, failure, retryAfterMs: waitMsOf(header, clock.nowMs()) };
    },

    async readSuccess(
      { status, header, body }: HttpResponse,
      signal: AbortSignal,
    ): Promise<SuccessReply | undefined> {
      const json = await readJsonReply(body, { maxBytes: maxReplyBytes, slices, signal });
      return json && { reply: { status, header, value: json.value }, json };
    },

    /** Sends a request that starts no task. Resolves with undefined if the connection is lost or the reply is too slow. */
    async exchanged<T>(
      url: string,
      request: Pick<HttpRequest, 'method' | 'headers'>,
      read: (response: HttpResponse, signal: AbortSignal) => Promise<T>,
      signal: AbortSignal,
    ): Promise<T | undefined> {
      const link = linkSignal(signal);
      const timedOut = new Error('the read timed out');
      const stopTimer = clock.after(timing.readMs, () => link.abort(timedOut));
      try {
        const response = await httpClient.request(url, { ...request, signal: link.signal });
        return await read(response, link.signal);
      } catch (thrown) {
        signal.throwIfAborted();
        if (link.signal.aborted || thrown instanceof BridgeError) return undefined;
        throw thrown;
      } finally {
        stopTimer();
        link.end();
      }
    },
  };
}

export type TaskClient = ReturnType<typeof createTaskClient>;

/**
 * Sends the requests of one account. Each method sends one request. `submit` and `read` send a second request if the service
 * rejects the key and the key has changed.
 */
export function createTaskClient(deps: Deps) {
  const { service, httpClient, apiKey, clock } = deps;
  const { headersOf, rejectionOf, readSuccess, exchanged } = createExchanges(deps);

  return {
    /**
     * Sends the POST that starts a task. Throws the rejection of the service, or an error with the effect `unknown` if the
     * task may have been accepted.
     */
    async submit(post: Post, call: TaskFacts, context: ProviderContext): Promise<SuccessReply> {
      const response = await callWithKey(apiKey, async (key) => {
        const headers = { ...headersOf(key), ...post.headers };
        const sent = await sendCall(httpClient, { ...post, headers }, context);
        if (isSuccess(sent)) return sent;
        throw toRefusal(await rejectionOf(sent, call), call.request);
      });
      const success = await readSuccess(response, context.signal);
      if (!success) throw unknownOutcome('not_json');
      return success;
    },

    /**
     * Reads the state of a task from the URL of the polls, or of the result. The read must be repeated if the key cannot be
     * read at the moment, because the task may be paid for. Throws if the service rejects the read and a repetition cannot
     * succeed.
     */
    async read(
      url: string,
      of: 'poll' | 'result',
      call: TaskFacts,
      signal: AbortSignal,
    ): Promise<ReadState> {
      const parse = of === 'result' ? (service.result ?? service.polled) : service.polled;
      let hasKey = false;
      const state = callWithKey(apiKey, async (key): Promise<ReadState> => {
        hasKey = true;
        const request = { method: 'GET', headers: headersOf(key) } as const;
        const got = await exchanged(
          url,
          request,
          async (response, within) => ({
            waitMs: waitMsOf(response.header, clock.nowMs()) ?? 0,
            ...(isSuccess(response)
              ? { success: await readSuccess(response, within) }
              : { rejection: await rejectionOf(response, call) }),
          }),
          signal,
        );
        if (!got) return { waitMs: 0 };
        const { waitMs } = got;
        if ('rejection' in got) {
          const { rejection } = got;
          // The status of a failed task's result says why the task failed.
          const isFailure = of === 'result' && rejection.failure?.row !== undefined;
          if (isRepeatable(rejection.status) && !isFailure) return { waitMs };
          throw toReadRefusal(rejection, call.request);
        }
        const { success } = got;
        const state = success && parse(success.reply);
        return state ? { found: { state, json: success.json }, waitMs } : { waitMs };
      });
      return state.catch((thrown: unknown) => {
        if (hasKey) throw thrown;
        return { waitMs: 0 };
      });
    },

    /** Asks the service to cancel a task. The reply is not read, because the polls return the outcome. */
    async cancel(url: string, method: 'POST' | 'PUT', signal: AbortSignal): Promise<void> {
      const key = await apiKey.key();
      const headers = { ...headersOf(key), 'content-length': '0' };
      await exchanged(url, { method, headers }, async ({ body }) => body.destroy(), signal);
    },
  };
}

function isSuccess({ status }: HttpResponse): boolean {
  return status >= 200 && status <= 299;
}
