import * as v from 'valibot';
import type { BridgeError } from '../../errors/bridge-error.ts';
import { unknownOutcome, unusableImages } from '../failed-calls.ts';
import type { EventConsumer } from '../http/event-streams.ts';
import type { StreamedJson } from '../http/streamed-json.ts';
import type { CallFacts, ProviderResult } from '../provider-port.ts';
import { withoutImage } from './failures.ts';
import { type GoogleError, parseGoogleError } from './google-error.ts';
import { Reply, toUsage } from './reply.ts';

// With and without the prefix IMAGE_, which says that the image was refused and not its text.
const REFUSED = /^(IMAGE_)?(SAFETY|PROHIBITED_CONTENT|BLOCKLIST|SPII|RECITATION|MODEL_ARMOR)$/;

/** Reduces the reply to one call, which is one JSON object, to its outcome. */
export function createCallOutcome(
  request: CallFacts,
  toFailure: (reported: GoogleError) => BridgeError,
): EventConsumer<ProviderResult> {
  let json: StreamedJson | undefined;

  return {
    take(whole) {
      json ??= whole;
    },

    isComplete: () => json !== undefined,

    knownBytes: () => undefined,

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

/** Returns the image of a complete reply. Throws for a reply without one. */
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
 * Returns the encoded image. Images of a thought are drafts. Of several others the first counts, because one was asked for; it
 * may be of a later candidate if the first one was refused.
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
