import * as v from 'valibot';
import type { Amount } from '../../contract/reply/cost.ts';
import type { TokenKind, Usage } from '../../contract/reply/image-response.ts';
import { Count } from '../../contract/schema/fields.ts';
import type { BridgeError } from '../../errors/bridge-error.ts';
import { FAILURES, toError } from '../backend/failures.ts';
import { optionalMember, Text, Tokens } from '../backend/reply-members.ts';
import { unknownOutcome, unusableImages } from '../failed-calls.ts';
import type { EventConsumer } from '../http/sse.ts';
import type { StreamedJson } from '../http/streamed-json.ts';
import type { CallFacts, ProviderContext } from '../provider-port.ts';
import type { Dialect } from './dialects/dialect.ts';
import { parseReportedError, type ReportedError } from './failures.ts';

interface Deps {
  readonly request: CallFacts;
  readonly dialect: Pick<Dialect, 'namesInMessage' | 'rejectionOf' | 'costOf'>;
  readonly onEvent: ProviderContext['onEvent'];
  readonly toFailure: (reported: ReportedError) => BridgeError;
}

/** An image in a reply, as bytes or as a URL. */
interface FoundImage {
  readonly source: { readonly bytes: Buffer } | { readonly url: string };
  readonly revisedPrompt: string | undefined;
}

export interface FoundImages {
  readonly images: readonly FoundImage[];
  readonly usage: Usage | undefined;
  /** Undefined if the server reports no cost. */
  readonly cost: Amount | undefined;
}

/** Reduces the reply to one call, which is one object or a stream of events, to its outcome. */
export function createCallOutcome({
  request,
  dialect,
  onEvent,
  toFailure,
}: Deps): EventConsumer<FoundImages> {
  const [index = 0] = request.indices;
  const wanted = request.indices.length;
  const items: (FoundImage | undefined)[] = [];
  const usages: TokenUsage[] = [];
  const costs: Amount[] = [];
  let isWhole = false;
  let hasPartial = false;
  let hasImageBesideError = false;
  let lastPartial: Buffer | undefined;

  const isComplete = () => isWhole || items.length >= wanted;

  function takePartial(
    { b64_json, partial_image_index }: v.InferOutput<typeof PartialEvent>,
    data: StreamedJson,
  ) {
    hasPartial = true;
    const bytes = b64_json ? data.bytesOf(b64_json) : undefined;
    if (!bytes) return;
    lastPartial = bytes;
    onEvent({ type: 'partial_image', index, partialIndex: partial_image_index, bytes });
  }

  return {
    take(data) {
      // Later events cannot change the outcome, even if they are malformed.
      if (isComplete()) return;
      const part = parseReplyPart(data.value);
      const reported = parseReportedError(data.value, dialect);
      if (reported) {
        hasImageBesideError = hasImage(part);
        throw toFailure(reported);
      }
      if (part === undefined) throw unknownOutcome('unexpected_event');
      if (part === 'unknown') return;
      if (part.kind === 'partial') return takePartial(part, data);
      const rejection = dialect.rejectionOf?.(data.value);
      if (rejection) throw toError(rejection, {}, request);
      usages.push(part.usage);
      const cost = dialect.costOf?.(data.value);
      if (cost !== undefined) costs.push(cost);
      isWhole = part.kind === 'whole';
      const received = part.kind === 'whole' ? part.data : [part];
      for (const item of received) items.push(toFoundImage(item, data));
    },
    isComplete,
    // The last partial image is sometimes the final image itself.
    expectedImage: () => lastPartial,

    hasBegun: () => hasPartial || hasImageBesideError || items.length > 0,

    /** Returns the images at the end of the reply. Throws if the number of images differs from the requested number. */
    result(): FoundImages {
      if (!isComplete()) throw unknownOutcome('ended_early');
      if (items.length === 0) throw toError(FAILURES.noImage, {}, request);
      if (items.length !== wanted) {
        throw unusable('wrong_count').with({ details: { returned_images: items.length } });
      }
      const images = items.filter((image) => image !== undefined);
      if (images.length !== wanted) throw unusable('unusable_image');
      const cost = costs.length > 0 ? costs.reduce((sum, one) => sum + one) : undefined;
      return { images, usage: toUsage(usages), cost };
    },
  };
}

function unusable(reason: 'wrong_count' | 'unusable_image'): BridgeError {
  return unusableImages('the backend did not return the requested images', reason);
}

function hasImage(part: ReturnType<typeof parseReplyPart>): boolean {
  return typeof part === 'object' && (part.kind !== 'whole' || part.data.length > 0);
}

/** Returns undefined if the item has no image that can be decoded or fetched. */
function toFoundImage(item: ReplyItem, data: StreamedJson): FoundImage | undefined {
  const { b64_json, url, revised_prompt: revised } = item;
  const revisedPrompt = revised && !data.isPlaceholder(revised) ? revised : undefined;
  const bytes = b64_json ? data.bytesOf(b64_json) : undefined;
  if (bytes) return { source: { bytes }, revisedPrompt };
  if (!b64_json && url && !data.isPlaceholder(url)) return { source: { url }, revisedPrompt };
  return undefined;
}

const TokenDetails = { text_tokens: Tokens, image_tokens: Tokens };
const Details = optionalMember(v.object(TokenDetails));
const InputDetails = optionalMember(
  v.object({
    ...TokenDetails,
    cached_tokens: Tokens,
    cached_tokens_details: optionalMember(v.object(TokenDetails)),
  }),
);

const TokenUsage = optionalMember(
  v.object({
    input_tokens: Tokens,
    output_tokens: Tokens,
    // OpenRouter has the names of the older APIs.
    prompt_tokens: Tokens,
    completion_tokens: Tokens,
    total_tokens: Tokens,
    input_tokens_details: InputDetails,
    output_tokens_details: Details,
  }),
);
type TokenUsage = v.InferOutput<typeof TokenUsage>;

const Item = v.object({ b64_json: Text, url: Text, revised_prompt: Text });
type ReplyItem = v.InferOutput<typeof Item>;

const WholeReply = v.object({ data: v.array(Item), usage: TokenUsage });

/** A partial image. An event without the expected form is skipped and does not affect the final image. */
const PartialEvent = v.object({ b64_json: Text, partial_image_index: v.fallback(Count, 0) });

const CompletedEvent = v.object({ ...Item.entries, usage: TokenUsage });

/** One JSON value of a reply. */
type ReplyPart =
  | ({ readonly kind: 'whole' } & v.InferOutput<typeof WholeReply>)
  | ({ readonly kind: 'partial' } & v.InferOutput<typeof PartialEvent>)
  | ({ readonly kind: 'completed' } & v.InferOutput<typeof CompletedEvent>);

const PART_TYPE = /^image_(?:generation|edit)\.(partial_image|completed)$/;

const Typed = v.object({ type: v.fallback(v.optional(v.string(), ''), '') });

/**
 * Parses one value of a reply. Returns `unknown` for a value that is ignored and undefined for a value that does not
 * have the form of its type.
 */
function parseReplyPart(value: unknown): ReplyPart | 'unknown' | undefined {
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

const OLDER_NAMES = {
  input_tokens: 'prompt_tokens',
  output_tokens: 'completion_tokens',
  total_tokens: 'total_tokens',
} as const;

/** Returns the sum of the reported usages, or undefined if none is reported or all are zero. */
function toUsage(usages: readonly TokenUsage[]): Usage | undefined {
  const known = usages.filter((usage) => usage !== null && usage !== undefined);
  const sumOf = <const Name extends string>(
    name: Name,
    of: (usage: NonNullable<TokenUsage>) => number | undefined,
  ) => {
    const counts = known.flatMap((usage) => of(usage) ?? []);
    const sum = counts.reduce((total, count) => total + count, 0);
    return counts.length === 0 ? [] : [[name, sum] as const];
  };
  const common = (['input_tokens', 'output_tokens', 'total_tokens'] as const).flatMap((name) =>
    sumOf(name, (usage) => usage[name] ?? usage[OLDER_NAMES[name]]),
  );
  if (common.every(([, count]) => count === 0)) return undefined;
  const details = [
    ...sumOf('input_text_tokens', (usage) => usage.input_tokens_details?.text_tokens),
    ...sumOf('input_image_tokens', (usage) => usage.input_tokens_details?.image_tokens),
    ...sumOf('cached_text_tokens', cachedTextTokens),
    ...sumOf(
      'cached_image_tokens',
      (usage) => usage.input_tokens_details?.cached_tokens_details?.image_tokens,
    ),
    ...sumOf('output_text_tokens', (usage) => usage.output_tokens_details?.text_tokens),
    ...sumOf('output_image_tokens', (usage) => usage.output_tokens_details?.image_tokens),
  ] satisfies readonly (readonly [TokenKind, number])[];
  return Object.fromEntries([...common, ...details]);
}

/**
 * Returns the number of cached text tokens. A single number of cached tokens counts as text only if the input had no image, because
 * the prices of cached text and cached images differ. Returns undefined if the number is unknown.
 */
function cachedTextTokens({ input_tokens_details: details }: NonNullable<TokenUsage>) {
  const { cached_tokens, cached_tokens_details, image_tokens = 0 } = details ?? {};
  return cached_tokens_details?.text_tokens ?? (image_tokens === 0 ? cached_tokens : undefined);
}
