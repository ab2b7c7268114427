import type { Usage } from '../../contract/image-response.ts';
import { BridgeError } from '../../errors/bridge-error.ts';
import type { ProviderContext, ProviderResult } from '../provider-port.ts';
import { type BackendFailure, type FailedCall, fromCode } from './backend-errors.ts';
import { type BackendError, type BackendResponse, parseBackendEvent } from './backend-event.ts';
import type { EventData } from './event-data.ts';
import { createFoundImages } from './found-images.ts';

export type CallOutcome = ReturnType<typeof createCallOutcome>;

/** A call that may have had its effect, though we shall never know. */
export function unknownOutcome(reason: string): BridgeError {
  return new BridgeError('protocol', 'the answer of the backend cannot be read to its end', {
    retryable: false,
    details: { outcome: 'unknown', reason },
  });
}

/** Adds up the events of one call to its outcome (providers.md, "Stream events that matter"). */
export function createCallOutcome(
  call: FailedCall,
  index: number,
  onEvent: ProviderContext['onEvent'],
) {
  const found = createFoundImages(call);
  let completed: BackendResponse | undefined;
  let isGenerating = false;

  return {
    /** Takes one event in. Throws the failure that it tells, or an unknown outcome when it makes no sense. */
    take(data: EventData): void {
      const event = parseBackendEvent(data.value);
      if (event === undefined) throw unknownOutcome('unexpected_event');
      if (event === 'unknown' || completed) return;
      switch (event.type) {
        case 'response.image_generation_call.partial_image': {
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
          // Items come twice: when they are done, and in the answer as a whole.
          for (const item of completed.output ?? []) found.take(item, data);
          return;
        case 'response.failed':
        case 'response.incomplete':
          throw fromCode(responseFailure(event.response), call);
        case 'error':
          throw fromCode(toBackendFailure(event.error ?? { ...event, type: undefined }), call);
        default:
          if (!isGenerating) onEvent({ type: 'progress', stage: 'generating', index });
          isGenerating = true;
      }
    },

    /** Nothing that follows can change the outcome. */
    isCompleted: () => completed !== undefined,

    /** A picture is there, though the answer may not be complete: nothing may be repeated. */
    hasImage: () => found.hasImage(),

    /** What the stream came to, at its end. Throws when that is no single picture. */
    result(): ProviderResult {
      if (!completed) throw unknownOutcome('stream_ended_early');
      const usage = toUsage(completed);
      return { outputs: [found.single()], ...(usage ? { usage } : {}) };
    },
  };
}

/** An error of the backend in the form that the tables of `backend-errors.ts` take. */
export function toBackendFailure(error: BackendError, retryAfterMs?: number): BackendFailure {
  const resets = error.resets_in_seconds;
  const resetsMs = resets != null && resets >= 0 ? Math.ceil(resets * 1000) : undefined;
  return {
    code: error.code ?? error.type ?? undefined,
    moderationStage: error.moderation_stage ?? undefined,
    moderationCategories: error.moderation_categories ?? [],
    retryAfterMs: retryAfterMs ?? resetsMs,
  };
}

/** Why an answer failed or stayed incomplete; a content filter names itself in a place of its own. */
function responseFailure({ error, incomplete_details: details }: BackendResponse): BackendFailure {
  if (error) return toBackendFailure(error);
  const code = details?.reason === 'content_filter' ? 'content_policy_violation' : details?.reason;
  return toBackendFailure({ code });
}

function toUsage({ usage, tool_usage: tools }: BackendResponse): Usage | undefined {
  const numbers = Object.entries(tools?.image_gen ?? {}).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number' && Number.isFinite(entry[1]),
  );
  if (!usage && numbers.length === 0) return undefined;
  return { ...usage, ...(numbers.length > 0 ? { provider: Object.fromEntries(numbers) } : {}) };
}
