import { REQUEST_ID_PATTERN } from '../../contract/schema/fields.ts';
import { type BridgeError, toBridgeError } from '../../errors/bridge-error.ts';
import type { HttpClient, HttpResponse } from '../../net/http-client.ts';
import type { Clock } from '../../platform/clock.ts';
import type { TimeSlices } from '../../platform/time-slices.ts';
import { type ApiKeySource, callWithKey } from '../credentials/api-key.ts';
import { readErrorBody } from '../http/read-error-body.ts';
import { waitMsOf } from '../http/retry-after.ts';
import {
  createEventStreams,
  createReplyReader,
  type StreamLimits,
  streamLimits,
} from '../http/sse.ts';
import type { CallFacts, ProviderContext, ProviderResult } from '../provider-port.ts';
import type { CallBody } from './call-body.ts';
import { createCallOutcome, type FoundImages } from './call-outcome.ts';
import type { Dialect, ImagesSettings } from './dialects.ts';
import { parseReportedError, type RefusalHead, toFailure } from './failures.ts';
import type { RepliedCall, ResultFetch } from './result-fetch.ts';

interface Deps {
  readonly httpClient: Pick<HttpClient, 'request'>;
  readonly apiKey: Pick<ApiKeySource, 'key' | 'changed'>;
  readonly dialect: Dialect;
  readonly endpoint: Endpoint;
  readonly fetchResult: ResultFetch;
  readonly slices: TimeSlices;
  readonly clock: Clock;
  /** The setting `images.max_encoded_bytes`. */
  readonly maxImageBytes: number;
}

const REQUEST_IDS = ['x-request-id', 'apim-request-id', 'x-litellm-call-id'];

/** Creates a client for the server: one POST returns one reply, whole or as events. */
export function createImagesClient(deps: Deps) {
  const { httpClient, apiKey, dialect, endpoint, fetchResult, slices, clock } = deps;
  // A server without this field chooses the format itself.
  const isFormatFree = !dialect.fields.includes('output_format');

  function foundIn(
    response: HttpResponse,
    request: CallFacts,
    { onEvent, signal }: ProviderContext,
  ): Promise<FoundImages> {
    const head = headOf(response, clock.nowMs());
    const outcome = createCallOutcome({
      request,
      dialect,
      onEvent,
      toFailure: (reported) => toFailure(head, reported, request, dialect),
    });
    const limits = limitsOf(request, deps.maxImageBytes);
    const replies = createEventStreams({ limits, slices, clock, openReader: createReplyReader });
    return replies.read(response.body, outcome, signal);
  }

  async function toResult(
    { images, usage }: FoundImages,
    call: RepliedCall,
    signal: AbortSignal,
  ): Promise<ProviderResult> {
    const outputs = [];
    for (const { source, revisedPrompt } of images) {
      const isHere = 'bytes' in source;
      const bytes = isHere ? source.bytes : await fetchResult(source.url, call, signal);
      const isRevised = dialect.revisesPrompts && revisedPrompt !== undefined;
      outputs.push({
        bytes,
        ...(isRevised ? { revisedPrompt } : {}),
        ...(isFormatFree ? { anyFormat: true as const } : {}),
      });
    }
    return { outputs, ...(usage ? { usage } : {}) };
  }

  /**
   * Sends the call. Rejects if the server refuses it. Otherwise resolves before the reply is read, because the call may
   * already be charged.
   */
  async function send(
    { route, contentType, body }: CallBody,
    request: CallFacts,
    { signal, onEvent }: ProviderContext,
    key: string | undefined,
  ): Promise<RepliedCall & { readonly response: HttpResponse }> {
    const url = endpoint.url(request.model, route);
    const headers = endpoint.headers(key);
    const response = await httpClient.request(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': contentType },
      body,
      signal,
      onSending: () => onEvent({ type: 'progress', stage: 'dispatched' }),
    });
    if (response.status >= 200 && response.status <= 299) return { url, headers, response };
    const reported = parseReportedError(await readErrorBody(response.body, clock), dialect);
    signal.throwIfAborted();
    const head = headOf(response, clock.nowMs());
    throw withRequestId(toFailure(head, reported, request, dialect), response);
  }

  return {
    /** Runs one call. Rejects with the signal's reason if the signal aborts, otherwise with a `BridgeError`. */
    async call(
      body: CallBody,
      request: CallFacts,
      context: ProviderContext,
    ): Promise<ProviderResult> {
      const sent = await callWithKey(apiKey, (key) => send(body, request, context, key));
      const { response, ...call } = sent;
      try {
        return await toResult(await foundIn(response, request, context), call, context.signal);
      } catch (thrown) {
        context.signal.throwIfAborted();
        throw withRequestId(toBridgeError(thrown), response);
      }
    },
  };
}

function headOf({ status, header }: HttpResponse, nowMs: number): RefusalHead {
  return {
    status,
    waitMs: waitMsOf(header, nowMs),
    forbidsRepeat: header('x-should-retry') === 'false',
  };
}

/** Returns the limits of a reply, in which each image, including partial images, may have the maximum size. */
function limitsOf({ indices, parameters }: CallFacts, maxImageBytes: number): StreamLimits {
  const { maxEventBytes } = streamLimits(maxImageBytes);
  return {
    maxEventBytes,
    maxStreamBytes: maxEventBytes * (indices.length + parameters.partial_images),
  };
}

function withRequestId(error: BridgeError, { header }: HttpResponse): BridgeError {
  const id = REQUEST_IDS.map(header).find((value) => REQUEST_ID_PATTERN.test(value ?? ''));
  return id === undefined ? error : error.with({ upstreamRequestId: id });
}

type Settings = Pick<
  ImagesSettings,
  'dialect' | 'base_url' | 'api_version' | 'deployments' | 'organization' | 'project'
>;

/** Creates the URLs and headers of the calls to one server. */
export function createEndpoint(settings: Settings, dialect: Dialect) {
  const { api_version: version, deployments, organization, project } = settings;
  const given = settings.base_url.replace(/\/+$/, '');
  // Azure also shows the address of a resource together with the path of its API, which is added again below.
  const start = settings.dialect === 'azure' ? given.replace(/\/openai(?:\/v1)?$/, '') : given;

  function modelName(model: string): string {
    return deployments[model] ?? model;
  }

  return {
    /** Returns the server's name of a model. */
    modelName,

    /** Returns the URL of a call. Azure has one URL for each deployment, and a single URL in its newer API. */
    url(model: string, route: 'generations' | 'edits'): string {
      if (settings.dialect !== 'azure') return `${start}/images/${route}`;
      if (version === undefined) return `${start}/openai/v1/images/${route}`;
      const deployment = encodeURIComponent(modelName(model));
      const query = `api-version=${encodeURIComponent(version)}`;
      return `${start}/openai/deployments/${deployment}/images/${route}?${query}`;
    },

    /** Returns the headers of every request to the server. */
    headers(key: string | undefined): Record<string, string> {
      const isBearer = dialect.keyHeader === 'authorization';
      return {
        ...(key === undefined ? {} : { [dialect.keyHeader]: isBearer ? `Bearer ${key}` : key }),
        ...(organization === undefined ? {} : { 'openai-organization': organization }),
        ...(project === undefined ? {} : { 'openai-project': project }),
      };
    },
  };
}

type Endpoint = ReturnType<typeof createEndpoint>;
