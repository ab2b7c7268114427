import { BridgeError, type Detail } from '../../errors/bridge-error.ts';
import { fromCode, fromReason, refusal } from '../backend/backend-errors.ts';
import { toBackendFailure } from '../backend/failures.ts';
import { unknownOutcome, unusableImages } from '../failed-calls.ts';
import type { EventConsumer } from '../http/sse.ts';
import type { StreamedJson } from '../http/streamed-json.ts';
import type {
  CallFacts,
  ProviderContext,
  ProviderOutput,
  ProviderResult,
} from '../provider-port.ts';
import {
  type BackendItem,
  type BackendResponse,
  parseBackendEvent,
  toUsage,
} from './backend-event.ts';

/** Reduces the events of one call to its outcome (providers.md, "Stream events that matter"). */
export function createCallOutcome(
  request: CallFacts,
  onEvent: ProviderContext['onEvent'],
): EventConsumer<ProviderResult> {
  const [index = 0] = request.indices;
  const found = createFoundImages(request);
  let completed: BackendResponse | undefined;
  let isGenerating = false;
  let hasPartial = false;

  return {
    /** Takes one event. Throws the failure that it reports, or an unknown outcome when it is malformed. */
    take(data: StreamedJson): void {
      // Nothing that follows changes the outcome, even if it is malformed.
      if (completed) return;
      const event = parseBackendEvent(data.value);
      if (event === undefined) throw unknownOutcome('unexpected_event');
      if (event === 'unknown') return;
      switch (event.type) {
        case 'response.image_generation_call.partial_image': {
          hasPartial = true;
          const bytes = data.bytesOf(event.partial_image_b64);
          const partialIndex = event.partial_image_index;
          if (bytes) onEvent({ type: 'partial_image', index, partialIndex, bytes });
          return;
        }
        case 'response.output_item.done':
          found.take(event.item, data);
          return;
        case 'response.completed':
          completed = event.response;
          // Items come twice: when they are done, and with the whole response.
          for (const item of completed.output ?? []) found.take(item, data);
          return;
        case 'response.failed':
        case 'response.incomplete':
          for (const item of event.response.output ?? []) found.take(item, data);
          throw responseFailure(event.response, request);
        case 'error': {
          const own = { ...event, type: undefined };
          throw fromCode(toBackendFailure([...(event.error ? [event.error] : []), own]), request);
        }
        default:
          if (!isGenerating) onEvent({ type: 'progress', stage: 'generating', index });
          isGenerating = true;
      }
    },

    /** The image that was found so far: it is sent again with the whole response. */
    knownBytes: found.image,

    isComplete: () => completed !== undefined,

    hasBegun: () => hasPartial || found.hasResult(),

    /** The result at the end of the stream. Throws when it is not a single image. */
    result(): ProviderResult {
      if (!completed) throw unknownOutcome('stream_ended_early');
      const usage = toUsage(completed);
      return { outputs: [found.single()], ...(usage ? { usage } : {}) };
    },
  };
}

/** Why a response failed or stayed incomplete: by the code of its error, else by its reason. */
function responseFailure(
  { error, incomplete_details: details }: BackendResponse,
  request: CallFacts,
): BridgeError {
  const failure = toBackendFailure(error ? [error] : []);
  return !error?.code && details?.reason
    ? fromReason(details.reason, failure, request)
    : fromCode(failure, request);
}

/** Collects the images among the items of one response, which must hold exactly one image. */
function createFoundImages(request: CallFacts) {
  const shapes = createSeenShapes();
  let image: Buffer | undefined;
  let revisedPrompt: string | undefined;
  let fault: 'unusable_image' | 'different_images' | undefined;
  let hasRefusal = false;
  let hasFailedCall = false;

  function takeResult(result: string, data: StreamedJson): void {
    const bytes = data.bytesOf(result);
    if (!bytes) fault ??= 'unusable_image';
    else if (image && !image.equals(bytes)) fault ??= 'different_images';
    else image ??= bytes;
  }

  return {
    take(item: BackendItem, data: StreamedJson): void {
      shapes.note(item);
      if (item.content?.some(({ type }) => type === 'refusal')) hasRefusal = true;
      if (item.type !== 'image_generation_call') return;
      // An item that holds a result is finished, even if its status still is `generating`.
      if (item.result) {
        takeResult(item.result, data);
        revisedPrompt ??= revisedPromptOf(item, data);
      } else if (item.status === 'failed') hasFailedCall = true;
    },

    image: () => image,

    /** A result has arrived, usable or not. */
    hasResult: () => image !== undefined || fault !== undefined,

    /** Throws `protocol` for images that are unusable or differ, `safety_rejected` or `upstream` for none. */
    single(): ProviderOutput {
      if (fault !== undefined) {
        throw unusableImages('the backend returned no single usable image', fault);
      }
      if (image) return { bytes: image, ...(revisedPrompt === undefined ? {} : { revisedPrompt }) };
      if (hasRefusal) throw refusal(request);
      const message = hasFailedCall
        ? 'the backend failed to generate the image'
        : 'the backend completed without an image';
      const retry = { retryable: true, transient: true };
      const details = { reason: 'no_image', ...shapes.details() };
      throw new BridgeError('upstream', message, { ...retry, details });
    },
  };
}

/** Undefined for none, for an empty one, and for one that is too long for a text. */
function revisedPromptOf(item: BackendItem, data: StreamedJson): string | undefined {
  const text = item.revised_prompt;
  return text && !data.isPlaceholder(text) ? text : undefined;
}

const ITEM_TYPES = [
  'image_generation_call',
  'message',
  'reasoning',
  'function_call',
  'web_search_call',
];
const CONTENT_TYPES = ['output_text', 'refusal', 'reasoning_text', 'summary_text'];
const CALL_STATUSES = ['in_progress', 'generating', 'completed', 'incomplete', 'failed'];

// A response without an image has few items; more labels would not help.
const MAX_LABELS = 16;

/**
 * Records the kinds of items of a response, for the case that it has no image (specification 7.9): labels of a closed
 * list only, never text of the response.
 */
function createSeenShapes() {
  const itemTypes = new Set<string>();
  const contentTypes = new Set<string>();
  const statuses = new Set<string>();
  return {
    note(item: BackendItem): void {
      itemTypes.add(labelOf(item.type, ITEM_TYPES));
      for (const { type } of item.content ?? []) contentTypes.add(labelOf(type, CONTENT_TYPES));
      if (item.type === 'image_generation_call') {
        statuses.add(labelOf(item.status ?? '', CALL_STATUSES));
      }
    },

    details(): { readonly [key: string]: Detail } {
      return {
        ...listed('output_item_types', itemTypes),
        ...listed('message_content_types', contentTypes),
        ...listed('image_call_statuses', statuses),
      };
    },
  };
}

function labelOf(text: string, known: readonly string[]): string {
  return known.includes(text) ? text : 'other';
}

function listed(name: string, labels: ReadonlySet<string>): { readonly [key: string]: Detail } {
  return labels.size === 0 ? {} : { [name]: [...labels].sort().slice(0, MAX_LABELS) };
}
