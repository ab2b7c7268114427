import * as v from 'valibot';
import { type Amount, amountOfNumber } from '../../contract/reply/cost.ts';
import { dateOf } from '../../platform/days.ts';
import type { BillingSource } from '../billing/billing.ts';

// Source: fal's reference of the API of the platform ("Billing Events"), 2026-11. The key must be an admin key.

const Events = v.object({
  billing_events: v.array(
    v.object({
      request_id: v.string(),
      // The amount in US dollars after discounts.
      cost_total: v.pipe(
        v.number(),
        v.transform((dollars) => amountOfNumber(dollars)),
      ),
    }),
  ),
  has_more: v.optional(v.boolean(), false),
});

/** The billing events of fal. A task has one event for each part of its charge. */
export const FAL_BILLING: BillingSource & { readonly address: string } = {
  address: 'https://api.fal.ai',
  idsPerRequest: 50,
  path(ids, sinceDay) {
    const start = dateOf(sinceDay);
    const query = new URLSearchParams({ request_id: ids.join(','), start, limit: '1000' });
    return `/v1/models/billing-events?${query}`;
  },
  charges(reply) {
    const parsed = v.safeParse(Events, reply);
    // A sum of some of the events would be too small.
    if (!parsed.success || parsed.output.has_more) return undefined;
    const charges = new Map<string, Amount>();
    for (const { request_id: id, cost_total: amount } of parsed.output.billing_events) {
      if (amount === undefined) return undefined;
      charges.set(id, (charges.get(id) ?? 0n) + amount);
    }
    return charges;
  },
};
