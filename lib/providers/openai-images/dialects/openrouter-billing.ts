import * as v from 'valibot';
import { amountOfNumber } from '../../../contract/reply/cost.ts';
import type { BillingSource } from '../../billing/billing.ts';

// Source: OpenRouter's reference of the API ("Get a generation"), 2026-11.

const Generation = v.object({
  // `total_cost` is what the account pays. The cost at a provider with a key of the account's own is not part of it.
  data: v.object({
    id: v.string(),
    total_cost: v.number(),
    upstream_inference_cost: v.optional(v.nullable(v.number())),
    is_byok: v.optional(v.nullable(v.boolean())),
  }),
});

/** The charges of OpenRouter, one request for each call. A call is unknown for up to an hour. */
export const OPENROUTER_BILLING: BillingSource = {
  idsPerRequest: 1,
  path: ([id = '']) => `/generation?id=${encodeURIComponent(id)}`,
  charges(reply) {
    const parsed = v.safeParse(Generation, reply);
    if (!parsed.success) return undefined;
    const { id, total_cost, upstream_inference_cost, is_byok } = parsed.output.data;
    const amount = amountOfNumber(total_cost + (is_byok ? (upstream_inference_cost ?? 0) : 0));
    return amount === undefined ? undefined : new Map([[id, amount]]);
  },
};
