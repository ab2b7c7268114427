import * as v from 'valibot';
import type { Dialect } from './dialects.ts';

/** Optional members. A malformed one is ignored, and the rest of the error still counts. */
const Text = v.fallback(v.nullish(v.string()), undefined);

const Inner = v.fallback(v.nullish(v.object({ code: Text })), undefined);

const Moderation = v.fallback(
  v.nullish(
    v.object({
      moderation_stage: Text,
      categories: v.fallback(v.nullish(v.array(v.unknown())), undefined),
    }),
  ),
  undefined,
);

const ErrorObject = v.object({
  message: Text,
  code: Text,
  type: Text,
  param: Text,
  inner_error: Inner,
  innererror: Inner,
  moderation_details: Moderation,
});

const Enveloped = v.object({ error: ErrorObject });
const ErrorEvent = v.object({ ...ErrorObject.entries, type: v.literal('error') });
/** Servers at home say what is wrong in a text, which is not used. */
const TextOnly = v.union([v.object({ error: v.string() }), v.object({ detail: v.unknown() })]);
/** FastAPI names the field of a 422 by its path, such as `["body", "size"]`. */
const Located = v.object({
  detail: v.looseTuple([v.object({ loc: v.looseTuple([v.unknown(), v.string()]) })]),
});

/** An error as a server reports it, in the body of a refusal, in an event, or in place of a reply. */
export interface ReportedError {
  /** What names it, the most specific first: its inner code, its code, its type. */
  readonly names: readonly string[];
  /** The field that it is about, as the server calls it. */
  readonly field: string | undefined;
  readonly moderationStage: string | undefined;
  readonly moderationCategories: readonly unknown[];
}

const NO_FACTS: ReportedError = {
  names: [],
  field: undefined,
  moderationStage: undefined,
  moderationCategories: [],
};

/**
 * Returns the error in a body or an event; undefined if there is none. The message of an error may quote the prompt: it is only
 * searched for the names that the dialect hides in it, and never kept.
 */
export function parseReportedError(
  value: unknown,
  { namesInMessage = [] }: Pick<Dialect, 'namesInMessage'>,
): ReportedError | undefined {
  const enveloped = v.safeParse(Enveloped, value);
  if (enveloped.success) return toReported(enveloped.output.error, namesInMessage);
  const event = v.safeParse(ErrorEvent, value);
  if (event.success) return toReported({ ...event.output, type: undefined }, namesInMessage);
  const located = v.safeParse(Located, value);
  if (located.success) return { ...NO_FACTS, field: located.output.detail[0].loc[1] };
  return v.is(TextOnly, value) ? NO_FACTS : undefined;
}

function toReported(
  error: v.InferOutput<typeof ErrorObject>,
  namesInMessage: readonly string[],
): ReportedError {
  const { message, code, type, param, moderation_details: moderation } = error;
  const hidden = namesInMessage.filter((name) => message?.includes(name));
  const inner = error.inner_error?.code ?? error.innererror?.code;
  return {
    names: [inner, ...hidden, code, type].flatMap((name) => (name ? [name] : [])),
    field: param ?? undefined,
    moderationStage: moderation?.moderation_stage ?? undefined,
    moderationCategories: moderation?.categories ?? [],
  };
}
