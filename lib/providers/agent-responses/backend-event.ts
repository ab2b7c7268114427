import * as v from 'valibot';
import { Count } from '../../contract/schema/fields.ts';
import { BackendError, errorEntries } from '../backend/backend-error.ts';

/** Optional members. A malformed one is ignored, and the rest of the event still counts. */
const Text = v.fallback(v.nullish(v.string()), undefined);
const Tokens = v.fallback(v.optional(Count), undefined);

const Part = v.fallback(v.object({ type: v.string() }), { type: '' });

const Item = v.object({
  type: v.string(),
  status: Text,
  result: v.nullish(v.string()),
  revised_prompt: Text,
  content: v.fallback(v.nullish(v.array(Part)), undefined),
});
export type BackendItem = v.InferOutput<typeof Item>;

const Usage = v.object({ input_tokens: Tokens, output_tokens: Tokens, total_tokens: Tokens });

const ToolUsage = v.object({ image_gen: v.record(v.string(), v.unknown()) });

const Response = v.object({
  output: v.nullish(v.array(Item)),
  error: v.fallback(v.nullish(BackendError), undefined),
  incomplete_details: v.fallback(v.nullish(v.object({ reason: Text })), undefined),
  usage: v.fallback(v.nullish(Usage), undefined),
  tool_usage: v.fallback(v.nullish(ToolUsage), undefined),
});
export type BackendResponse = v.InferOutput<typeof Response>;

/** The events that matter (providers.md), with the members that matter; other members are ignored. */
const Event = v.variant('type', [
  v.object({ type: v.literal('response.image_generation_call.in_progress') }),
  v.object({ type: v.literal('response.image_generation_call.generating') }),
  v.object({
    type: v.literal('response.image_generation_call.partial_image'),
    partial_image_index: Count,
    partial_image_b64: v.string(),
  }),
  v.object({ type: v.literal('response.output_item.done'), item: Item }),
  v.object({ type: v.literal('response.completed'), response: Response }),
  v.object({ type: v.literal('response.failed'), response: Response }),
  v.object({ type: v.literal('response.incomplete'), response: Response }),
  v.object({
    ...errorEntries,
    type: v.literal('error'),
    error: v.fallback(v.nullish(BackendError), undefined),
  }),
]);
export type BackendEvent = v.InferOutput<typeof Event>;

const KNOWN_TYPES: ReadonlySet<unknown> = new Set(
  Event.options.map(({ entries }) => entries.type.literal),
);

const Envelope = v.object({ type: v.string() });

/** An event that matters; `unknown` for one that is to be ignored, undefined for one that does not have the form of its type. */
export function parseBackendEvent(value: unknown): BackendEvent | 'unknown' | undefined {
  const envelope = v.safeParse(Envelope, value);
  if (!envelope.success) return undefined;
  if (!KNOWN_TYPES.has(envelope.output.type)) return 'unknown';
  const event = v.safeParse(Event, value);
  return event.success ? event.output : undefined;
}
