import * as v from 'valibot';
import type { TokenKind, Usage } from '../../contract/reply/image-response.ts';
import type { BridgeError } from '../../errors/bridge-error.ts';
import type { HttpResponse, StreamedBody } from '../../net/http-client.ts';
import { isUsageName, optionalMember, Text, TokenCount } from '../backend/reply-members.ts';
import { sentImages, toPromptText } from '../backend/sent-images.ts';
import { callWithKey } from '../credentials/api-key.ts';
import { unknownOutcome, unusableImages } from '../failed-calls.ts';
import { createJsonBodies, type JsonBodies } from '../http/json-body.ts';
import { readReply, sendCall, throwIfRefused } from '../http/model-call.ts';
import { retryAfterMs } from '../http/retry-after.ts';
import {
  createEventStreams,
  createReplyReader,
  type EventConsumer,
  streamLimits,
} from '../http/sse.ts';
import type { StreamedJson } from '../http/streamed-json.ts';
import type { NamedProviderParts } from '../provider-parts.ts';
import type {
  CallFacts,
  ProviderContext,
  ProviderRequest,
  ProviderResult,
} from '../provider-port.ts';
import { listedRatio, shapeOf } from './capabilities.ts';
import { type GoogleError, parseGoogleError, toFailure, withoutImage } from './failures.ts';

/** Creates a client for `models.generateContent`: one POST returns one reply with one image. */
export function createGeminiClient(parts: NamedProviderParts<'gemini'>) {
  const { settings, images, httpClient, apiKey, slices, clock, ids } = parts;
  const endpoint = createEndpoint(settings);
  const toJsonBody = createJsonBodies({ ids, slices });
  // The limit of the whole reply leaves room for drafts before the image.
  const limits = streamLimits(images.max_encoded_bytes);
  const replies = createEventStreams({ limits, slices, clock, openReader: createReplyReader });

  return {
    /** Runs one call. Rejects with the signal's reason if the signal aborts, otherwise with a `BridgeError`. */
    async call(request: ProviderRequest, context: ProviderContext): Promise<ProviderResult> {
      const { signal } = context;
      const url = endpoint.url(request.model);
      const body = toRequestBody(request, toJsonBody);
      const toError = ({ status, header }: HttpResponse, error: GoogleError | undefined) =>
        toFailure(status, error, retryAfterMs(header('retry-after'), clock.nowMs()), request);
      const response = await callWithKey(
        apiKey,
        async (key) => {
          const headers = {
            ...endpoint.keyHeaders(key),
            'content-type': 'application/json',
            accept: 'application/json',
          };
          const reply = await sendCall(httpClient, { url, headers, body }, context);
          const toRefusal = (json: unknown) => toError(reply, parseGoogleError(json));
          await throwIfRefused(reply, toRefusal, { signal, clock });
          return reply;
        },
        signal,
      );
      const outcome = createCallOutcome(request, (error) =>
        toError({ ...response, status: error.code ?? response.status }, error),
      );
      return readReply(response, () => replies.read(response.body, outcome, signal), { signal });
    },
  };
}

type Endpoint = Pick<
  NamedProviderParts<'gemini'>['settings'],
  'dialect' | 'base_url' | 'project' | 'location'
>;

/** Creates the URLs and headers of the calls to the Gemini API or to Vertex AI. */
function createEndpoint({ dialect, base_url, project, location }: Endpoint) {
  const start = base_url.replace(/\/+$/, '');
  const models =
    dialect === 'vertex'
      ? `${start}/v1beta1/projects/${project}/locations/${location}/publishers/google/models`
      : `${start}/v1beta/models`;

  return {
    url: (model: string) => `${models}/${encodeURIComponent(model)}:generateContent`,

    keyHeaders(key: string | undefined): Record<string, string> {
      if (key === undefined) return {};
      return dialect === 'vertex' ? { authorization: `Bearer ${key}` } : { 'x-goog-api-key': key };
    },
  };
}

/**
 * Returns the body of one call (Gemini API, `models.generateContent`). Members that the request leaves to the model are
 * omitted.
 */
function toRequestBody(request: ProviderRequest, toJsonBody: JsonBodies): StreamedBody {
  const imageConfig = toImageConfig(request.parameters);
  return toJsonBody((base64Of) => ({
    contents: [
      {
        role: 'user',
        parts: [
          { text: toPromptText(request) },
          ...sentImages(request).map(({ bytes, mediaType }) => ({
            inlineData: { mimeType: mediaType, data: base64Of(bytes) },
          })),
        ],
      },
    ],
    generationConfig: { responseModalities: ['IMAGE'], ...(imageConfig ? { imageConfig } : {}) },
  }));
}

function toImageConfig({ size, aspect_ratio: ratio, resolution }: ProviderRequest['parameters']) {
  const named = shapeOf(size);
  const aspectRatio = (ratio === null ? undefined : listedRatio(ratio)) ?? named?.aspectRatio;
  const imageSize = (resolution ?? named?.resolution)?.toUpperCase();
  if (aspectRatio === undefined && imageSize === undefined) return undefined;
  return {
    ...(aspectRatio === undefined ? {} : { aspectRatio }),
    ...(imageSize === undefined ? {} : { imageSize }),
  };
}

// The prefix IMAGE_ means that the image was rejected, not the text.
const REFUSED = /^(IMAGE_)?(SAFETY|PROHIBITED_CONTENT|BLOCKLIST|SPII|RECITATION|MODEL_ARMOR)$/;

/** Reduces the reply to one call, which is one JSON object, to its outcome. */
function createCallOutcome(
  request: CallFacts,
  toFailure: (reported: GoogleError) => BridgeError,
): EventConsumer<ProviderResult> {
  let json: StreamedJson | undefined;

  return {
    take(whole) {
      json ??= whole;
    },

    isComplete: () => json !== undefined,

    expectedImage: () => undefined,

    hasBegun() {
      const parsed = v.safeParse(Reply, json?.value);
      return parsed.success && imageOf(parsed.output) !== undefined;
    },

    result() {
      if (!json) throw unknownOutcome('not_json');
      const reported = parseGoogleError(json.value);
      if (reported) throw toFailure(reported);
      return toResult(json, request);
    },
  };
}

/** Returns the image of a complete reply. Throws if the reply has no image. */
function toResult(json: StreamedJson, request: CallFacts): ProviderResult {
  const parsed = v.safeParse(Reply, json.value);
  if (!parsed.success) throw unknownOutcome('unexpected_reply');
  const reply = parsed.output;
  const image = imageOf(reply);
  if (image === undefined) throw failureOf(reply, request);
  const bytes = json.bytesOf(image);
  if (!bytes || bytes.length === 0) {
    throw unusableImages('the backend returned no usable image', 'unusable_image');
  }
  const usage = toUsage(reply);
  return { outputs: [{ bytes, anyFormat: true }], ...(usage ? { usage } : {}) };
}

/**
 * Returns the encoded image. Images in a thought are drafts and are skipped. Returns the first of several images
 * because the request asks for one image. The first image may belong to a later candidate if the first candidate was
 * rejected.
 */
function imageOf({ candidates }: Reply): string | undefined {
  const parts = (candidates ?? []).flatMap(({ content }) => content?.parts ?? []);
  return parts.find(({ thought, inlineData }) => inlineData && thought !== true)?.inlineData?.data;
}

function failureOf({ promptFeedback, candidates }: Reply, request: CallFacts): BridgeError {
  if (promptFeedback?.blockReason) return withoutImage('input', undefined, request);
  const reasons = (candidates ?? []).map(({ finishReason }) => finishReason ?? '');
  const refused = reasons.find((reason) => REFUSED.test(reason));
  return withoutImage(refused === undefined ? undefined : 'output', refused ?? reasons[0], request);
}

const Part = v.object({
  thought: optionalMember(v.boolean()),
  inlineData: optionalMember(v.object({ data: v.string() })),
});

const Candidate = v.object({
  content: optionalMember(v.object({ parts: v.nullish(v.array(Part)) })),
  finishReason: Text,
});

/** The reply of `models.generateContent`, reduced to the members that are used. */
const Reply = v.object({
  candidates: v.nullish(v.array(Candidate)),
  promptFeedback: optionalMember(v.object({ blockReason: Text })),
  usageMetadata: optionalMember(v.record(v.string(), v.unknown())),
});
type Reply = v.InferOutput<typeof Reply>;

/** Counts that have a common name in the contract. Other counts keep the name of the API. */
const COMMON_COUNTS: ReadonlyMap<string, 'input_tokens' | 'output_tokens' | 'total_tokens'> =
  new Map([
    ['promptTokenCount', 'input_tokens'],
    ['candidatesTokenCount', 'output_tokens'],
    ['totalTokenCount', 'total_tokens'],
  ]);

const Details = v.array(v.object({ modality: v.string(), tokenCount: TokenCount }));

/** Returns the usage of the call, or undefined if the reply reports none or only zeros. */
function toUsage({ usageMetadata }: Reply): Usage | undefined {
  const counts = Object.entries(usageMetadata ?? {}).filter(
    (entry): entry is [string, number] => isUsageName(entry[0]) && v.is(TokenCount, entry[1]),
  );
  if (!counts.some(([, count]) => count > 0)) return undefined;
  const common = counts.flatMap(([name, count]) => {
    const known = COMMON_COUNTS.get(name);
    return known === undefined ? [] : [[known, count] as const];
  });
  const own = counts.filter(([name]) => !COMMON_COUNTS.has(name));
  return {
    ...Object.fromEntries([...common, ...tokensByKind(usageMetadata ?? {})]),
    ...(own.length > 0 ? { provider: Object.fromEntries(own) } : {}),
  };
}

/** Returns the tokens of texts and images. The API charges thoughts as text output. */
function tokensByKind(
  metadata: Readonly<Record<string, unknown>>,
): readonly (readonly [TokenKind, number])[] {
  const countsOf = (name: string) => {
    const details = metadata[name];
    const rows = v.is(Details, details) ? details : [];
    const sum = (modality: string) =>
      rows.filter((row) => row.modality === modality).map(({ tokenCount }) => tokenCount);
    return { text: sum('TEXT'), image: sum('IMAGE') };
  };
  const thoughts = metadata['thoughtsTokenCount'];
  const [prompt, cache, output] = [
    countsOf('promptTokensDetails'),
    countsOf('cacheTokensDetails'),
    countsOf('candidatesTokensDetails'),
  ];
  const outputText = [...output.text, ...(v.is(TokenCount, thoughts) ? [thoughts] : [])];
  const kinds: readonly (readonly [TokenKind, readonly number[]])[] = [
    ['input_text_tokens', prompt.text],
    ['input_image_tokens', prompt.image],
    ['cached_text_tokens', cache.text],
    ['cached_image_tokens', cache.image],
    ['output_text_tokens', outputText],
    ['output_image_tokens', output.image],
  ];
  return kinds.flatMap(([kind, counts]) =>
    counts.length === 0 ? [] : [[kind, counts.reduce((sum, count) => sum + count, 0)] as const],
  );
}
