import * as v from 'valibot';
import type { Usage } from '../../contract/reply/image-response.ts';
import { Count } from '../../contract/schema/fields.ts';

/** Optional members. A malformed one is ignored, and the rest of the reply still counts. */
const Text = v.fallback(v.nullish(v.string()), undefined);
const Tokens = v.fallback(v.optional(Count), undefined);

const Details = v.fallback(
  v.optional(v.object({ text_tokens: Tokens, image_tokens: Tokens })),
  undefined,
);

const TokenUsage = v.fallback(
  v.nullish(
    v.object({
      input_tokens: Tokens,
      output_tokens: Tokens,
      total_tokens: Tokens,
      input_tokens_details: Details,
      output_tokens_details: Details,
    }),
  ),
  undefined,
);
export type TokenUsage = v.InferOutput<typeof TokenUsage>;

const Item = v.object({ b64_json: Text, url: Text, revised_prompt: Text });
export type ReplyItem = v.InferOutput<typeof Item>;

const WholeReply = v.object({ data: v.array(Item), usage: TokenUsage });

/** A preview: one without a form costs the image itself nothing. */
const PartialEvent = v.object({ b64_json: Text, partial_image_index: v.fallback(Count, 0) });

const CompletedEvent = v.object({ ...Item.entries, usage: TokenUsage });

/** One JSON value of a reply, by its form. */
export type ReplyPart =
  | ({ readonly kind: 'whole' } & v.InferOutput<typeof WholeReply>)
  | ({ readonly kind: 'partial' } & v.InferOutput<typeof PartialEvent>)
  | ({ readonly kind: 'completed' } & v.InferOutput<typeof CompletedEvent>);

const PART_TYPE = /^image_(?:generation|edit)\.(partial_image|completed)$/;

const Typed = v.object({ type: v.fallback(v.optional(v.string(), ''), '') });

/** `unknown` for what is to be ignored, undefined for what does not have the form of its type. */
export function parseReplyPart(value: unknown): ReplyPart | 'unknown' | undefined {
  const typed = v.safeParse(Typed, value);
  if (!typed.success) return undefined;
  const type = PART_TYPE.exec(typed.output.type)?.[1];
  if (type === 'partial_image') return parsed('partial', PartialEvent, value);
  if (type === 'completed') return parsed('completed', CompletedEvent, value);
  return parsed('whole', WholeReply, value) ?? 'unknown';
}

function parsed<const K extends string, T extends object>(
  kind: K,
  schema: v.GenericSchema<unknown, T>,
  value: unknown,
): ({ readonly kind: K } & T) | undefined {
  const result = v.safeParse(schema, value);
  return result.success ? { kind, ...result.output } : undefined;
}

/** What calls cost together, as far as replies say it; undefined where none does, and where they say only zeros. */
export function toUsage(usages: readonly TokenUsage[]): Usage | undefined {
  const known = usages.filter((usage) => usage !== null && usage !== undefined);
  const sumOf = (name: string, of: (usage: NonNullable<TokenUsage>) => number | undefined) => {
    const counts = known.flatMap((usage) => of(usage) ?? []);
    const sum = counts.reduce((total, count) => total + count, 0);
    return counts.length === 0 ? [] : [[name, sum] as const];
  };
  const common = (['input_tokens', 'output_tokens', 'total_tokens'] as const).flatMap((name) =>
    sumOf(name, (usage) => usage[name]),
  );
  if (common.every(([, count]) => count === 0)) return undefined;
  const details = [
    ...sumOf('input_text_tokens', (usage) => usage.input_tokens_details?.text_tokens),
    ...sumOf('input_image_tokens', (usage) => usage.input_tokens_details?.image_tokens),
    ...sumOf('output_text_tokens', (usage) => usage.output_tokens_details?.text_tokens),
    ...sumOf('output_image_tokens', (usage) => usage.output_tokens_details?.image_tokens),
  ].filter(([, count]) => count > 0);
  return {
    ...Object.fromEntries(common),
    ...(details.length > 0 ? { provider: Object.fromEntries(details) } : {}),
  };
}
