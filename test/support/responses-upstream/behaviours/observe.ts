import { gunzipSync } from 'node:zlib';
import * as v from 'valibot';
import type { Call } from '../../upstream/calls.ts';
import { eventData, type PlainReply } from '../../upstream/plain-client.ts';
import { callWell, goodBody } from '../good-calls.ts';
import type { ResponsesUpstream } from '../responses-upstream.ts';
import type { BehaviourName } from './behaviours.ts';

const Item = v.object({
  type: v.string(),
  status: v.optional(v.string()),
  result: v.optional(v.nullable(v.string())),
  content: v.optional(v.array(v.object({ type: v.string() }))),
});

const WireError = v.object({ code: v.nullable(v.string()), message: v.string() });

/** The members of an event that the tests check. */
const ObservedEvent = v.object({
  type: v.string(),
  item: v.optional(Item),
  response: v.optional(
    v.object({
      status: v.string(),
      error: v.nullable(WireError),
      incomplete_details: v.nullable(v.object({ reason: v.string() })),
      output: v.array(Item),
    }),
  ),
  code: v.optional(v.string()),
  error: v.optional(WireError),
  partial_image_b64: v.optional(v.string()),
});
export type MetEvent = v.InferOutput<typeof ObservedEvent>;

/** One call to a behaviour. */
export interface Observed {
  readonly reply: PlainReply | undefined;
  /** Body as decompressed text. */
  readonly text: string;
  /** Valid events. */
  readonly events: readonly MetEvent[];
  /** Base64 of all finished items, including those of the completed response. */
  readonly results: readonly string[];
  /** Record of the call in the emulator. */
  readonly call: Call | undefined;
}

/** Calls the backend once with this behaviour. Disconnects after `maxBytes`. */
export async function observe(
  upstream: ResponsesUpstream,
  behaviour: BehaviourName,
  { maxBytes = Number.POSITIVE_INFINITY, tool = {} } = {},
): Promise<Observed> {
  upstream.script(behaviour);
  const body = JSON.stringify(goodBody('A lighthouse', tool));
  const reply = await callWell(upstream, '', { body, maxBytes });
  await upstream.until(() => upstream.counters().open === 0);
  const bytes = reply?.bytes ?? Buffer.alloc(0);
  const isCompressed = reply?.headers['content-encoding'] === 'gzip';
  const plain = isCompressed ? gunzipSync(bytes) : bytes;
  const events = eventData(plain).flatMap(parsed);
  const results = events
    .flatMap(({ item, response }) => [...(item ? [item] : []), ...(response?.output ?? [])])
    .flatMap(({ result, status }) => (result != null && status !== 'failed' ? [result] : []));
  return { reply, text: plain.toString(), events, results, call: upstream.calls.at(-1) };
}

export function typesOf({ events }: Observed): string[] {
  return events.map(({ type }) => type);
}

function parsed(data: string): MetEvent[] {
  try {
    const event = v.safeParse(ObservedEvent, JSON.parse(data));
    return event.success ? [event.output] : [];
  } catch {
    return [];
  }
}
