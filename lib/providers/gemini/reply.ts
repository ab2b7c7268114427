import * as v from 'valibot';
import type { Usage } from '../../contract/reply/image-response.ts';
import { Count } from '../../contract/schema/fields.ts';

/** Optional members. A malformed one is ignored, and the rest of the reply still counts. */
const Text = v.fallback(v.nullish(v.string()), undefined);

const Part = v.object({
  thought: v.fallback(v.nullish(v.boolean()), undefined),
  inlineData: v.fallback(v.nullish(v.object({ data: v.string() })), undefined),
});

const Candidate = v.object({
  content: v.fallback(v.nullish(v.object({ parts: v.nullish(v.array(Part)) })), undefined),
  finishReason: Text,
});

/** The reply of `models.generateContent`, with the members that matter. */
export const Reply = v.object({
  candidates: v.nullish(v.array(Candidate)),
  promptFeedback: v.fallback(v.nullish(v.object({ blockReason: Text })), undefined),
  usageMetadata: v.fallback(v.nullish(v.record(v.string(), v.unknown())), undefined),
});
export type Reply = v.InferOutput<typeof Reply>;

/** Under the names of the contract; every other count keeps its own. */
const COMMON_COUNTS: ReadonlyMap<string, 'input_tokens' | 'output_tokens' | 'total_tokens'> =
  new Map([
    ['promptTokenCount', 'input_tokens'],
    ['candidatesTokenCount', 'output_tokens'],
    ['totalTokenCount', 'total_tokens'],
  ]);

// The form of the API's own names; other names are not passed on.
const NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;

const Details = v.array(v.object({ modality: v.string(), tokenCount: Count }));

/** What the call cost; undefined where the reply does not say, and where it says only zeros. */
export function toUsage({ usageMetadata }: Reply): Usage | undefined {
  const counts = Object.entries(usageMetadata ?? {}).filter(
    (entry): entry is [string, number] => NAME.test(entry[0]) && v.is(Count, entry[1]),
  );
  if (!counts.some(([, count]) => count > 0)) return undefined;
  const common = counts.flatMap(([name, count]) => {
    const known = COMMON_COUNTS.get(name);
    return known === undefined ? [] : [[known, count] as const];
  });
  const own = [
    ...counts.filter(([name]) => !COMMON_COUNTS.has(name)),
    ...inputImageTokens(usageMetadata?.['promptTokensDetails']),
  ];
  return {
    ...Object.fromEntries(common),
    ...(own.length > 0 ? { provider: Object.fromEntries(own) } : {}),
  };
}

/** Under the name that every provider gives them: OpenAI's routes subtract them from those of texts. */
function inputImageTokens(details: unknown): readonly (readonly [string, number])[] {
  const rows = v.is(Details, details) ? details : [];
  const found = rows.find(({ modality }) => modality === 'IMAGE');
  return found ? [['input_image_tokens', found.tokenCount]] : [];
}
