import * as v from 'valibot';
import type { Usage } from '../../contract/reply/image-response.ts';
import { Count } from '../../contract/schema/fields.ts';
import { BackendError, errorEntries } from '../backend/failures.ts';
import { isUsageName, optionalMember, Quantity, Text, Tokens } from '../backend/reply-members.ts';

const Part = v.fallback(v.object({ type: v.string() }), { type: '' });

const Item = v.object({
  type: v.string(),
  status: Text,
  result: v.nullish(v.string()),
  revised_prompt: Text,
  content: optionalMember(v.array(Part)),
});
export type BackendItem = v.InferOutput<typeof Item>;

const ReportedUsage = v.object({
  input_tokens: Tokens,
  output_tokens: Tokens,
  total_tokens: Tokens,
});

const ToolUsage = v.object({ image_gen: v.record(v.string(), v.unknown()) });

const Response = v.object({
  output: v.nullish(v.array(Item)),
  error: optionalMember(BackendError),
  incomplete_details: optionalMember(v.object({ reason: Text })),
  usage: optionalMember(ReportedUsage),
  tool_usage: optionalMember(ToolUsage),
});
export type BackendResponse = v.InferOutput<typeof Response>;

/** The events and members that the bridge uses. Other events and members are ignored. */
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
    error: optionalMember(BackendError),
  }),
]);
type BackendEvent = v.InferOutput<typeof Event>;

const KNOWN_TYPES: ReadonlySet<unknown> = new Set(
  Event.options.map(({ entries }) => entries.type.literal),
);

const Envelope = v.object({ type: v.string() });

/**
 * Parses an event. Returns `unknown` for an event type that is ignored and undefined for an event that does not have
 * the form of its type.
 */
export function parseBackendEvent(value: unknown): BackendEvent | 'unknown' | undefined {
  const envelope = v.safeParse(Envelope, value);
  if (!envelope.success) return undefined;
  if (!KNOWN_TYPES.has(envelope.output.type)) return 'unknown';
  const event = v.safeParse(Event, value);
  return event.success ? event.output : undefined;
}

/** Returns the usage of a completed call, or undefined if the backend reports none. */
export function toUsage({ usage, tool_usage: tools }: BackendResponse): Usage | undefined {
  const { input_tokens, output_tokens, total_tokens } = usage ?? {};
  const provider = Object.entries(tools?.image_gen ?? {}).filter(
    (entry): entry is [string, number] => isUsageName(entry[0]) && v.is(Quantity, entry[1]),
  );
  const found: Usage = {
    ...(input_tokens === undefined ? {} : { input_tokens }),
    ...(output_tokens === undefined ? {} : { output_tokens }),
    ...(total_tokens === undefined ? {} : { total_tokens }),
    ...(provider.length > 0 ? { provider: Object.fromEntries(provider) } : {}),
  };
  return Object.keys(found).length > 0 ? found : undefined;
}
