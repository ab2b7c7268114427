import * as v from 'valibot';
import type { Amount } from '../../../contract/reply/cost.ts';
import { FAILURES, type FailureRow } from '../../backend/failures.ts';
import type { Dialect } from './dialect.ts';
import type { Family } from './family.ts';

/** All models of the service draw in these ratios. `9:19.5` and its inverse are not ratios of integers. */
const GROK: Family = {
  sizes: { auto: true, allowed: [], arbitrary: false },
  aspectRatios: ['1:1', '2:3', '3:2', '3:4', '4:3', '9:16', '16:9', '1:2', '2:1', '9:20', '20:9'],
  resolutions: ['1k', '2k'],
  qualities: ['auto'],
  hasNativeAlpha: false,
  fidelities: [],
};

/** The families of xAI's models (xAI's image API, 2026-11). Older models ignore the quality. */
export const XAI_FAMILIES = {
  'grok-imagine-image': GROK,
  'grok-imagine-image-pro': GROK,
  'grok-imagine-image-quality': GROK,
  'grok-imagine-image-2.0': { ...GROK, qualities: ['auto', 'low', 'medium'] },
} as const satisfies Record<string, Family>;

/** xAI's image API, which rejects `size` and returns JPEG. */
export const XAI: Dialect = {
  displayName: 'xAI',
  fields: ['n', 'aspect_ratio', 'resolution', 'quality', 'response_format'],
  defaultFamily: GROK,
  formats: ['jpeg'],
  keyHeader: 'authorization',
  edits: {
    route: 'edits',
    members({ sources, others }) {
      const images = [...sources, ...others].map((image) => ({
        url: image.dataUrl(),
        type: 'image_url',
      }));
      return images.length === 1 ? { image: images[0] } : { images };
    },
  },
  rejectsMasks: true,
  maxImages: 3,
  revisesPrompts: true,
  hasNameless404: true,
  failureOf,
  rejectionOf,
  costOf,
};

/** The service reports an unknown key with the status and the code of an invalid argument. Its text may be escaped. */
const UnknownKey = v.object({
  error: v.pipe(v.string(), v.regex(/^Incorrect(?: |%20)API(?: |%20)key/)),
});

function failureOf(status: number, json: unknown): FailureRow | undefined {
  return status === 400 && v.is(UnknownKey, json) ? FAILURES.authentication : undefined;
}

const Moderated = v.object({
  data: v.pipe(
    v.array(v.object({ respect_moderation: v.nullish(v.boolean()) })),
    v.someItem((item) => item.respect_moderation === false),
  ),
});

/** A rejected image may be charged, because the image was made before it was checked. */
function rejectionOf(reply: unknown): FailureRow | undefined {
  return v.is(Moderated, reply) ? { ...FAILURES.safety, effect: 'unknown' } : undefined;
}

const Billed = v.object({
  usage: v.object({ cost_in_usd_ticks: v.pipe(v.number(), v.safeInteger(), v.minValue(0)) }),
});

/** Returns the cost. A tick is 10^-10 USD. */
function costOf(reply: unknown): Amount | undefined {
  const parsed = v.safeParse(Billed, reply);
  return parsed.success ? BigInt(parsed.output.usage.cost_in_usd_ticks) : undefined;
}
