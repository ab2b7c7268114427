import type { Usage } from '../../contract/reply/image-response.ts';
import type { BridgeError } from '../../errors/bridge-error.ts';
import { toBackendFailure } from '../backend/backend-failure.ts';
import { FAILURES, toError } from '../backend/failure-rows.ts';
import { unknownOutcome, unusableImages } from '../failed-calls.ts';
import type { EventConsumer } from '../http/event-streams.ts';
import type { StreamedJson } from '../http/streamed-json.ts';
import type { CallFacts, ProviderContext } from '../provider-port.ts';
import type { Dialect } from './dialects.ts';
import {
  parseReplyPart,
  type ReplyItem,
  type ReplyPart,
  type TokenUsage,
  toUsage,
} from './reply.ts';
import { parseReportedError, type ReportedError } from './reported-error.ts';

interface Deps {
  readonly request: CallFacts;
  readonly dialect: Pick<Dialect, 'namesInMessage'>;
  readonly onEvent: ProviderContext['onEvent'];
  readonly toFailure: (reported: ReportedError) => BridgeError;
}

/** An image of a reply, or where it is. */
export interface FoundImage {
  readonly source: { readonly bytes: Buffer } | { readonly url: string };
  readonly revisedPrompt: string | undefined;
}

export interface FoundImages {
  readonly images: readonly FoundImage[];
  readonly usage: Usage | undefined;
}

const NO_FACTS = toBackendFailure([]);

/** Reduces the reply to one call, whole or in events, to its outcome. */
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
  let isWhole = false;
  let hasPartial = false;
  let hasImageBesideError = false;
  let lastPartial: Buffer | undefined;

  const isComplete = () => isWhole || items.length >= wanted;

  function takePartial({ b64_json, partial_image_index }: PartOf<'partial'>, data: StreamedJson) {
    hasPartial = true;
    const bytes = b64_json ? data.bytesOf(b64_json) : undefined;
    if (!bytes) return;
    lastPartial = bytes;
    onEvent({ type: 'partial_image', index, partialIndex: partial_image_index, bytes });
  }

  return {
    take(data) {
      // Nothing that follows changes the outcome, even if it is malformed.
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
      usages.push(part.usage);
      isWhole = part.kind === 'whole';
      const received = part.kind === 'whole' ? part.data : [part];
      for (const item of received) items.push(toFoundImage(item, data));
    },
    isComplete,
    // The last partial image is sometimes the image itself.
    knownBytes: () => lastPartial,

    hasBegun: () => hasPartial || hasImageBesideError || items.length > 0,

    /** The images at the end of the reply. Throws unless there are as many as were asked for. */
    result(): FoundImages {
      if (!isComplete()) throw unknownOutcome('ended_early');
      if (items.length === 0) {
        throw toError(FAILURES.noImage, NO_FACTS, request);
      }
      if (items.length !== wanted) throw unusable('wrong_count');
      const images = items.filter((image) => image !== undefined);
      if (images.length !== wanted) throw unusable('unusable_image');
      return { images, usage: toUsage(usages) };
    },
  };
}

function unusable(reason: 'wrong_count' | 'unusable_image'): BridgeError {
  return unusableImages('the backend did not return the images that were asked for', reason);
}

type PartOf<K extends ReplyPart['kind']> = Extract<ReplyPart, { kind: K }>;

function hasImage(part: ReturnType<typeof parseReplyPart>): boolean {
  return typeof part === 'object' && (part.kind !== 'whole' || part.data.length > 0);
}

/** Undefined for one without an image that can be decoded or fetched. */
function toFoundImage(item: ReplyItem, data: StreamedJson): FoundImage | undefined {
  const { b64_json, url, revised_prompt: revised } = item;
  const revisedPrompt = revised && !data.isPlaceholder(revised) ? revised : undefined;
  const bytes = b64_json ? data.bytesOf(b64_json) : undefined;
  if (bytes) return { source: { bytes }, revisedPrompt };
  if (!b64_json && url && !data.isPlaceholder(url)) return { source: { url }, revisedPrompt };
  return undefined;
}
