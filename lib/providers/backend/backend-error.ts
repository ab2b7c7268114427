import * as v from 'valibot';

/** Optional members. A malformed one is ignored, and the rest of the error still counts. */
const Text = v.fallback(v.nullish(v.string()), undefined);
const Amount = v.fallback(v.nullish(v.pipe(v.number(), v.minValue(0))), undefined);

export const errorEntries = {
  code: Text,
  moderation_stage: Text,
  moderation_categories: v.fallback(v.nullish(v.array(v.unknown())), undefined),
  resets_in_seconds: Amount,
};

/** An error as the backend writes it; an event of type `error` may hold the same members itself. */
export const BackendError = v.object({ ...errorEntries, type: Text });
export type BackendError = v.InferOutput<typeof BackendError>;

const ErrorBody = v.object({ error: BackendError });

/** The error in the body of a refusal; undefined when there is none of the expected form. */
export function parseErrorBody(value: unknown): BackendError | undefined {
  const body = v.safeParse(ErrorBody, value);
  return body.success ? body.output.error : undefined;
}
