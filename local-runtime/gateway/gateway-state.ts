import * as v from 'valibot';
import { SLOTS } from './coordination-file.ts';

const COUNT = v.pipe(v.number(), v.integer(), v.minValue(0));

/** What `GET /health/gateway` replies: what a handoff has to know before it stops a slot. */
export const GATEWAY_STATE = v.object({
  /** From the moment that it is `hold`, no further byte of a new request reaches a slot. */
  target: v.picklist([...SLOTS, 'hold']),
  /** How many requests are held now. */
  held: COUNT,
  /** How many requests have no complete reply yet, held ones included. */
  in_flight: COUNT,
  /** How long one request may be held. */
  hold_ms: COUNT,
});

export type GatewayState = v.InferOutput<typeof GATEWAY_STATE>;
