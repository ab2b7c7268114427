import * as v from 'valibot';
import { BridgeError } from '../../errors/bridge-error.ts';
import type { StreamedJson } from '../http/streamed-json.ts';
import { unknownOutcome } from '../http/unknown-outcome.ts';
import type { CallFacts, ProviderResult } from '../provider-port.ts';
import { withoutImage } from './failures.ts';
import { Reply, toUsage } from './reply.ts';

// With and without the prefix IMAGE_, which says that the image was refused and not its text.
const REFUSED = /^(IMAGE_)?(SAFETY|PROHIBITED_CONTENT|BLOCKLIST|SPII|RECITATION)$/;

/** The image of a complete reply. Throws for a reply without one: the call is not to be repeated, it may be charged. */
export function toResult(json: StreamedJson, request: CallFacts): ProviderResult {
  const parsed = v.safeParse(Reply, json.value);
  if (!parsed.success) throw unknownOutcome('unexpected_reply');
  const reply = parsed.output;
  const [candidate] = reply.candidates ?? [];
  // Images of a thought are drafts. Of several others the first counts: one was asked for.
  const image = (candidate?.content?.parts ?? []).find(
    ({ thought, inlineData }) => inlineData && thought !== true,
  )?.inlineData;
  if (!image) throw failureOf(reply, request);
  const bytes = json.bytesOf(image.data);
  if (!bytes || bytes.length === 0) {
    throw new BridgeError('protocol', 'the backend returned no usable image', {
      details: { reason: 'unusable_image' },
    });
  }
  const usage = toUsage(reply);
  return { outputs: [{ bytes, anyFormat: true }], ...(usage ? { usage } : {}) };
}

function failureOf({ promptFeedback, candidates }: Reply, request: CallFacts): BridgeError {
  if (promptFeedback?.blockReason) return withoutImage('input', undefined, request);
  const reason = candidates?.[0]?.finishReason ?? '';
  return withoutImage(REFUSED.test(reason) ? 'output' : undefined, reason, request);
}
