import * as v from 'valibot';
import { type Amount, amountOfNumber } from '../../../contract/reply/cost.ts';
import { FAILURES, type FailureRow } from '../../backend/failures.ts';
import { optionalMember } from '../../backend/reply-members.ts';
import type { Dialect, ImagesSettings } from './dialect.ts';
import type { Family } from './family.ts';
import { OPENROUTER_BILLING } from './openrouter-billing.ts';

/**
 * A model whose descriptor is not known. The service fits a ratio to the ratios of the model (OpenRouter's guide to image
 * generation, 2026-11).
 */
const UNDESCRIBED: Family = {
  sizes: { auto: true, allowed: [], arbitrary: false },
  aspectRatios: ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9'],
  qualities: ['auto'],
  hasNativeAlpha: false,
  fidelities: [],
};

/** OpenRouter's image API. NanoGPT has the same API. */
export const OPENROUTER: Dialect = {
  displayName: 'OpenRouter',
  // No seed is sent, because models without this parameter reject the call.
  fields: [
    'n',
    'size',
    'aspect_ratio',
    'resolution',
    'quality',
    'output_format',
    'output_compression',
    'background',
    'stream',
  ],
  hasFieldsOfModel: true,
  defaultFamily: UNDESCRIBED,
  // A model chooses its format unless its descriptor lists formats.
  formats: ['png'],
  keyHeader: 'authorization',
  pathOf: () => '/images',
  edits: {
    route: 'generations',
    members: ({ sources, others }) => ({
      input_references: [...sources, ...others].map((image) => ({
        type: 'image_url',
        image_url: { url: image.dataUrl() },
      })),
    }),
  },
  resolutionName: (resolution) => resolution.toUpperCase(),
  rejectsMasks: true,
  settingsMembers: toProvider,
  revisesPrompts: false,
  hasNameless404: true,
  failureOf,
  costOf,
  invoiceIdHeader: 'x-generation-id',
  billing: OPENROUTER_BILLING,
};

function toProvider({ upstreams }: Pick<ImagesSettings, 'upstreams'>) {
  if (upstreams.length === 0) return {};
  return { provider: { only: upstreams, allow_fallbacks: false } };
}

const Failure = v.object({
  error: v.object({
    code: v.unknown(),
    metadata: optionalMember(
      v.object({ failed_routing_step: v.optional(v.unknown()), reasons: v.optional(v.unknown()) }),
    ),
  }),
});

/** Statuses after which nothing is billed, because the service bills only finished images. */
const WITHOUT_IMAGE: readonly number[] = [500, 502, 503, 529];

/** Selects the failure of a reply. A failure inside a stream has its status in `code`. */
function failureOf(httpStatus: number, json: unknown): FailureRow | undefined {
  const parsed = v.safeParse(Failure, json);
  // A status without JSON comes from a proxy in front of the service.
  if (!parsed.success) return httpStatus >= 500 ? FAILURES.unknownOutcome : undefined;
  const { code, metadata } = parsed.output.error;
  const status = httpStatus < 300 ? Number(code) : httpStatus;
  if (WITHOUT_IMAGE.includes(status)) return FAILURES.transient;
  if (status === 403 && metadata?.reasons != null) return FAILURES.safety;
  const isUnrouted = metadata?.failed_routing_step != null;
  return [400, 404].includes(status) && isUnrouted ? FAILURES.noUpstream : undefined;
}

const Dollars = v.pipe(
  v.number(),
  v.transform(amountOfNumber),
  v.check((amount) => amount !== undefined),
);
const Billed = v.object({
  usage: v.object({
    cost: Dollars,
    is_byok: optionalMember(v.boolean()),
    cost_details: optionalMember(v.object({ upstream_inference_cost: optionalMember(Dollars) })),
  }),
});

/**
 * Returns the cost. For a call with the operator's own key at the upstream, `cost` is only OpenRouter's fee, and the
 * upstream charges the operator for the image.
 */
function costOf(reply: unknown): Amount | undefined {
  const parsed = v.safeParse(Billed, reply);
  if (!parsed.success) return undefined;
  const { cost, is_byok: isOwnKey, cost_details: details } = parsed.output.usage;
  if (isOwnKey !== true || cost === undefined) return cost;
  const upstream = details?.upstream_inference_cost ?? undefined;
  return upstream === undefined ? undefined : cost + upstream;
}
