import * as v from 'valibot';

const Text = v.optional(v.nullable(v.string()));

const errorEntries = {
  code: Text,
  moderation_stage: Text,
  moderation_categories: v.optional(v.nullable(v.array(v.string()))),
  resets_in_seconds: v.optional(v.nullable(v.number())),
};

/** An error as the backend writes it; an event of type `error` may hold the same members itself. */
const BackendError = v.object({ ...errorEntries, type: Text });
export type BackendError = v.InferOutput<typeof BackendError>;

const Item = v.object({
  type: v.string(),
  id: Text,
  status: Text,
  result: Text,
  revised_prompt: Text,
  content: v.optional(v.nullable(v.array(v.object({ type: v.string() })))),
});
export type BackendItem = v.InferOutput<typeof Item>;

const Usage = v.object({
  input_tokens: v.optional(v.number()),
  output_tokens: v.optional(v.number()),
  total_tokens: v.optional(v.number()),
});

const Response = v.object({
  output: v.optional(v.array(Item)),
  error: v.optional(v.nullable(BackendError)),
  incomplete_details: v.optional(v.nullable(v.object({ reason: Text }))),
  usage: v.optional(v.nullable(Usage)),
  tool_usage: v.optional(
    v.nullable(v.object({ image_gen: v.optional(v.nullable(v.record(v.string(), v.unknown()))) })),
  ),
});
export type BackendResponse = v.InferOutput<typeof Response>;

/** The events that matter (providers.md), with the members that matter; whatever else they hold is not looked at. */
const Event = v.variant('type', [
  v.object({ type: v.literal('response.image_generation_call.in_progress') }),
  v.object({ type: v.literal('response.image_generation_call.generating') }),
  v.object({
    type: v.literal('response.image_generation_call.partial_image'),
    partial_image_index: v.pipe(v.number(), v.integer(), v.minValue(0)),
    partial_image_b64: v.string(),
  }),
  v.object({ type: v.literal('response.output_item.done'), item: Item }),
  v.object({ type: v.literal('response.completed'), response: Response }),
  v.object({ type: v.literal('response.failed'), response: Response }),
  v.object({ type: v.literal('response.incomplete'), response: Response }),
  v.object({
    ...errorEntries,
    type: v.literal('error'),
    error: v.optional(v.nullable(BackendError)),
  }),
]);
export type BackendEvent = v.InferOutput<typeof Event>;

const KNOWN_TYPES: ReadonlySet<unknown> = new Set(
  Event.options.map(({ entries }) => entries.type.literal),
);

const Envelope = v.object({ type: v.string() });

/** An event that matters; `unknown` for one that is to be ignored, undefined for one that is not what its type says. */
export function parseBackendEvent(value: unknown): BackendEvent | 'unknown' | undefined {
  const envelope = v.safeParse(Envelope, value);
  if (!envelope.success) return undefined;
  if (!KNOWN_TYPES.has(envelope.output.type)) return 'unknown';
  const event = v.safeParse(Event, value);
  return event.success ? event.output : undefined;
}

const ErrorBody = v.object({ error: BackendError });

/** The error in the body of a refusal; undefined when there is none that we know the form of. */
export function parseErrorBody(value: unknown): BackendError | undefined {
  const body = v.safeParse(ErrorBody, value);
  return body.success ? body.output.error : undefined;
}
