import type { Amount } from '../../contract/reply/cost.ts';
import type { CapabilityDocument } from '../../contract/resources/provider.ts';
import type { BridgeError } from '../../errors/bridge-error.ts';
import type { HttpResponse } from '../../net/http-client.ts';
import { createRemoteFetch } from '../../net/remote-fetch.ts';
import { callWithKey } from '../credentials/api-key.ts';
import { createJsonBodies } from '../http/json-body.ts';
import { readReply, sendCall, throwIfRefused } from '../http/model-call.ts';
import { waitMsOf } from '../http/retry-after.ts';
import {
  createEventStreams,
  createReplyReader,
  type StreamLimits,
  streamLimits,
} from '../http/sse.ts';
import { reportInvoiceId } from '../invoice-ids.ts';
import type { NamedProviderParts } from '../provider-parts.ts';
import type {
  CallFacts,
  ProviderContext,
  ProviderRequest,
  ProviderResult,
} from '../provider-port.ts';
import { createCallBodies } from './call-body.ts';
import { createCallOutcome, type FoundImages } from './call-outcome.ts';
import type { Dialect, ImagesSettings, Route } from './dialects/dialect.ts';
import { DIALECTS } from './dialects/dialects.ts';
import { parseReportedError, type RefusalHead, type ReportedError, toFailure } from './failures.ts';
import { createResultFetch, type RepliedCall } from './result-fetch.ts';

/**
 * Limits for fetching an image from one of the `result_hosts`, equal to the limits for the input images of requests.
 */
const FETCH_LIMITS = {
  allowed_ports: [443],
  allow_private_networks: false,
  max_redirects: 3,
  timeout_ms: 20_000,
};

const ID_HEADERS = ['x-request-id', 'apim-request-id', 'x-litellm-call-id'];

/** The facts of a call that its reply does not repeat. */
interface Sent {
  readonly call: RepliedCall;
  readonly isFormatFree: boolean;
}

interface Parts extends NamedProviderParts<'openai_images'> {
  readonly documentOf: (model: string) => CapabilityDocument | undefined;
}

/** Creates a client for the server: one POST returns one reply, whole or as events. */
export function createImagesClient(parts: Parts) {
  const { settings, documentOf, images, httpClient, apiKey, slices, clock, ids } = parts;
  const maxImageBytes = images.max_encoded_bytes;
  const dialect = DIALECTS[settings.dialect];
  const endpoint = createEndpoint(settings, dialect);
  const { modelName } = endpoint;
  const toJsonBody = createJsonBodies({ ids, slices });
  const callBody = { dialect, settings, ids, toJsonBody, modelName, documentOf };
  const toCallBody = createCallBodies(callBody);
  const policy = { ...FETCH_LIMITS, allowed_hosts: settings.result_hosts };
  const fetchRemote = createRemoteFetch({ policy, clock });
  const fetchResult = createResultFetch({ httpClient, fetchRemote, maxBytes: maxImageBytes });

  async function readImages(
    response: HttpResponse,
    request: CallFacts,
    { onEvent, signal }: ProviderContext,
    fail: (reported: ReportedError) => BridgeError,
  ): Promise<FoundImages> {
    const outcome = createCallOutcome({ request, dialect, onEvent, toFailure: fail });
    const limits = limitsOf(request, maxImageBytes);
    const replies = createEventStreams({ limits, slices, clock, openReader: createReplyReader });
    return replies.read(response.body, outcome, signal);
  }

  async function toResult(
    { images: found, usage, cost }: FoundImages,
    { call, isFormatFree }: Sent,
    signal: AbortSignal,
  ): Promise<ProviderResult> {
    const outputs = [];
    for (const { source, revisedPrompt } of found) {
      const bytes = 'bytes' in source ? source.bytes : await fetchResult(source.url, call, signal);
      const isRevised = dialect.revisesPrompts && revisedPrompt !== undefined;
      outputs.push({
        bytes,
        ...(isRevised ? { revisedPrompt } : {}),
        ...(isFormatFree ? { anyFormat: true as const } : {}),
      });
    }
    return {
      outputs,
      ...(usage ? { usage } : {}),
      ...(cost === undefined ? {} : { cost: { amount: cost } }),
    };
  }

  return {
    /** Runs one call. Rejects with the signal's reason if the signal aborts, otherwise with a `BridgeError`. */
    async call(request: ProviderRequest, context: ProviderContext): Promise<ProviderResult> {
      const { signal } = context;
      const { route, contentType, body, isFormatFree } = toCallBody(request);
      const url = endpoint.url(request.model, route);
      const options = { signal, clock, idHeaders: ID_HEADERS };
      const toError = (response: HttpResponse, reported: ReportedError | undefined) =>
        toFailure(headOf(response, clock.nowMs()), reported, request, dialect);
      // After the server has accepted the call, the call may be charged and is not repeated with another key.
      const { response, headers } = await callWithKey(apiKey, async (key) => {
        const own = endpoint.headers(key);
        const sent = { url, headers: { ...own, 'content-type': contentType }, body };
        const reply = await sendCall(httpClient, sent, context);
        const toRefusal = (json: unknown) => toError(reply, parseReportedError(json, dialect));
        await throwIfRefused(reply, toRefusal, options);
        return { response: reply, headers: own };
      });
      reportInvoiceId(context, invoiceIdIn(response, dialect));
      const read = async () => {
        const found = await readImages(response, request, context, (failure) =>
          toError(response, failure),
        );
        const cost = found.cost ?? costIn(response, dialect);
        const sent = { call: { url, headers }, isFormatFree };
        return toResult({ ...found, cost }, sent, signal);
      };
      return readReply(response, read, options);
    },
  };
}

function costIn({ header }: HttpResponse, { costHeader }: Dialect): Amount | undefined {
  const value = costHeader && header(costHeader.name);
  return value === undefined ? undefined : costHeader?.costOf(value);
}

function invoiceIdIn({ header }: HttpResponse, { invoiceIdHeader: name }: Dialect) {
  return name && header(name);
}

function headOf({ status, header }: HttpResponse, nowMs: number): RefusalHead {
  const forbidsRepeat = header('x-should-retry') === 'false';
  return { status, waitMs: waitMsOf(header, nowMs), forbidsRepeat };
}

/** Returns the limits of a reply, in which each image, including partial images, may have the maximum size. */
function limitsOf({ indices, parameters }: CallFacts, maxImageBytes: number): StreamLimits {
  const { maxEventBytes } = streamLimits(maxImageBytes);
  return {
    maxEventBytes,
    maxStreamBytes: maxEventBytes * (indices.length + parameters.partial_images),
  };
}

type Settings = Pick<
  ImagesSettings,
  'dialect' | 'base_url' | 'api_version' | 'key_kind' | 'deployments' | 'organization' | 'project'
>;

/** Creates the URLs and headers of the calls to one server. */
export function createEndpoint(settings: Settings, dialect: Dialect) {
  const { pathOf = (route) => `/images/${route}` } = dialect;
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
    url(model: string, route: Route): string {
      if (settings.dialect !== 'azure') return `${start}${pathOf(route)}`;
      if (version === undefined) return `${start}/openai/v1/images/${route}`;
      const deployment = encodeURIComponent(modelName(model));
      const query = `api-version=${encodeURIComponent(version)}`;
      return `${start}/openai/deployments/${deployment}/images/${route}?${query}`;
    },

    /** Returns the headers of every request to the server. */
    headers(key: string | undefined): Record<string, string> {
      const isBearer = dialect.keyHeader === 'authorization' || settings.key_kind === 'bearer';
      return {
        ...(key !== undefined && isBearer && { authorization: `Bearer ${key}` }),
        ...(key !== undefined && !isBearer && { 'api-key': key }),
        ...(organization === undefined ? {} : { 'openai-organization': organization }),
        ...(project === undefined ? {} : { 'openai-project': project }),
      };
    },
  };
}
