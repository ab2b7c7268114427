import * as v from 'valibot';
import { parseJson } from '../../platform/parse-json.ts';
import { unknownOutcome } from '../failed-calls.ts';
import type { TaskTicket } from './task-service.ts';

const Url = v.pipe(v.string(), v.url());

/** The stored form of a ticket. A later version of the form has another `v`. */
const StoredTicket = v.object({
  v: v.literal(1),
  id: v.string(),
  poll: Url,
  result: v.exactOptional(Url),
  cancel: v.exactOptional(Url),
  charge: v.exactOptional(
    v.object({
      amount: v.exactOptional(v.pipe(v.string(), v.regex(/^\d{1,18}$/))),
      units: v.exactOptional(v.number()),
      seconds: v.exactOptional(v.number()),
    }),
  ),
});

/** Returns the text of a ticket whose URLs are absolute. */
export function toTicketText(ticket: TaskTicket): string {
  return JSON.stringify({ v: 1, ...ticket });
}

/** Parses the ticket of an earlier process. Throws `protocol` with the effect `unknown` if the ticket cannot be read. */
export function parseTicket(text: string): TaskTicket {
  const parsed = v.safeParse(StoredTicket, parseJson(text));
  if (!parsed.success) throw unknownOutcome('unreadable_ticket');
  const { v: _, ...ticket } = parsed.output;
  return ticket;
}
