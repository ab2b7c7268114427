import type { BridgeError } from '../../errors/bridge-error.ts';
import { fromCode, fromReason } from '../backend/backend-errors.ts';
import { toBackendFailure } from '../backend/backend-failure.ts';
import { unknownOutcome } from '../failed-calls.ts';
import type { EventConsumer } from '../http/event-streams.ts';
import type { StreamedJson } from '../http/streamed-json.ts';
import type { CallFacts, ProviderContext, ProviderResult } from '../provider-port.ts';
import { type BackendResponse, parseBackendEvent } from './backend-event.ts';
import { createFoundImages } from './found-images.ts';
import { toUsage } from './response-usage.ts';

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
