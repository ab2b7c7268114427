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

/** Reduces the events of one call to its outcome. */
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
    /**
     * Processes one event. Throws the failure that the event reports, or an error with the effect `unknown` if the
     * event is malformed.
     */
    take(data: StreamedJson): void {
      // Later events cannot change the outcome, even if they are malformed.
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
          // The backend sends each item twice: when the item is done, and with the whole response.
          for (const item of completed.output ?? []) found.take(item, data);
          return;
        case 'response.failed':
        case 'response.incomplete':
          for (const item of event.response.output ?? []) found.take(item, data);
          throw responseFailure(event.response, request);
        case 'error': {
          const own = { ...event, type: undefined };
          throw fromCode(toBackendFailure([event.error, own]), request);
        }
        default:
          if (!isGenerating) onEvent({ type: 'progress', stage: 'generating', index });
          isGenerating = true;
      }
    },

    /** The image found so far. The backend sends the same image again with the whole response. */
    expectedImage: found.image,

    isComplete: () => completed !== undefined,

    hasBegun: () => hasPartial || found.hasResult(),

    /** Returns the result at the end of the stream. Throws if the stream did not contain exactly one image. */
    result(): ProviderResult {
      if (!completed) throw unknownOutcome('stream_ended_early');
      const usage = toUsage(completed);
      return { outputs: [found.single()], ...(usage ? { usage } : {}) };
    },
  };
}

/** Converts a failed or incomplete response according to the code of its error. Without a code, the reason is used. */
function responseFailure(
  { error, incomplete_details: details }: BackendResponse,
  request: CallFacts,
): BridgeError {
  const failure = toBackendFailure([error]);
  return !error?.code && details?.reason
    ? fromReason(details.reason, failure, request)
    : fromCode(failure, request);
}

/** Collects the images in the items of one response, which must contain exactly one image. */
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
      // An item with a result is finished, even if its status is still `generating`.
      if (item.result) {
        takeResult(item.result, data);
        revisedPrompt ??= revisedPromptOf(item, data);
      } else if (item.status === 'failed') hasFailedCall = true;
    },

    image: () => image,

    /** Returns true if an image has arrived, even if the image is unusable. */
    hasResult: () => image !== undefined || fault !== undefined,

    /**
     * Returns the only image. Throws `protocol` if images are unusable or differ, and `safety_rejected` or `upstream`
     * if there is no image.
     */
    single(): ProviderOutput {
      if (fault !== undefined) {
        throw unusableImages('the backend did not return exactly one usable image', fault);
      }
      if (image) return { bytes: image, ...(revisedPrompt === undefined ? {} : { revisedPrompt }) };
      if (hasRefusal) throw refusal(request);
      const message = hasFailedCall
        ? 'the backend failed to generate the image'
        : 'the backend returned no image';
      const retry = { retryable: true, transient: true };
      const details = { reason: 'no_image', ...shapes.details() };
      throw new BridgeError('upstream', message, { ...retry, details });
    },
  };
}

/** Returns the revised prompt, or undefined if it is missing, empty or longer than 16 KiB. */
function revisedPromptOf(item: BackendItem, data: StreamedJson): string | undefined {
  const text = item.revised_prompt;
  return text && !data.isPlaceholder(text) ? text : undefined;
}

/** The labels that an error may contain, by the name of the detail. Any other label becomes `other`. */
const LABELS = {
  output_item_types: [
    'image_generation_call',
    'message',
    'reasoning',
    'function_call',
    'web_search_call',
  ],
  message_content_types: ['output_text', 'refusal', 'reasoning_text', 'summary_text'],
  image_call_statuses: ['in_progress', 'generating', 'completed', 'incomplete', 'failed'],
} as const satisfies Record<string, readonly string[]>;

/**
 * Records the kinds of items in a response, to report them if the response has no image. Reports only labels from
 * closed lists, never text from the response.
 */
function createSeenShapes() {
  const seen = new Map<string, Set<string>>();

  function add(name: keyof typeof LABELS, text: string): void {
    const label = LABELS[name].find((known) => known === text) ?? 'other';
    seen.set(name, (seen.get(name) ?? new Set()).add(label));
  }

  return {
    note({ type, status, content }: BackendItem): void {
      add('output_item_types', type);
      for (const part of content ?? []) add('message_content_types', part.type);
      if (type === 'image_generation_call') add('image_call_statuses', status ?? '');
    },

    details: (): { readonly [key: string]: Detail } =>
      Object.fromEntries([...seen].map(([name, labels]) => [name, [...labels].sort()])),
  };
}
