import type { ResponseOutputItem } from 'openai/resources/responses/responses';
import type { Base64Slots } from '../upstream/base64-slots.ts';
import type { ResponsesRequest } from './responses-request.ts';
import { tokenUsage } from './token-usage.ts';
import type {
  ImageNotes,
  PartialImageEvent,
  WireError,
  WireEvent,
  WireResponse,
} from './wire-types.ts';

interface Deps {
  readonly responseId: string;
  readonly slots: Base64Slots;
  readonly notes: ImageNotes;
  readonly request: ResponsesRequest;
  readonly createdSecs: number;
}

/** Builds the events of one call in the form of the backend. */
export function createEvents(deps: Deps) {
  const { slots, notes, request } = deps;
  const begun = responseOf(deps);

  return {
    created: (): WireEvent => ({ type: 'response.created', response: begun }),
    inProgress: (): WireEvent => ({ type: 'response.in_progress', response: begun }),

    added(item: ResponseOutputItem, output_index: number): WireEvent {
      return { type: 'response.output_item.added', output_index, item };
    },
    done(item: ResponseOutputItem, output_index: number): WireEvent {
      return { type: 'response.output_item.done', output_index, item };
    },

    generating(item_id: string, output_index: number): WireEvent[] {
      return [
        { type: 'response.image_generation_call.in_progress', item_id, output_index },
        { type: 'response.image_generation_call.generating', item_id, output_index },
      ];
    },
    partial(item_id: string, output_index: number, index: number, base64: Buffer): WireEvent {
      const event: PartialImageEvent = {
        type: 'response.image_generation_call.partial_image',
        item_id,
        output_index,
        partial_image_index: index,
        partial_image_b64: slots.mark(base64),
        ...notes,
      };
      return event;
    },

    completed(output: ResponseOutputItem[]): WireEvent {
      const response = { ...begun, status: 'completed' as const, output, ...tokenUsage(request) };
      return { type: 'response.completed', response };
    },
    failed(error: WireError | null): WireEvent {
      return { type: 'response.failed', response: { ...begun, status: 'failed', error } };
    },
    incomplete(
      reason: 'content_filter' | 'max_output_tokens',
      error: WireError | null = null,
    ): WireEvent {
      const incomplete_details = { reason };
      const response = { ...begun, status: 'incomplete' as const, incomplete_details, error };
      return { type: 'response.incomplete', response };
    },
    error(code: string, message: string): WireEvent {
      return { type: 'error', code, message, param: null };
    },
  };
}

function responseOf({ responseId, request, createdSecs }: Deps): WireResponse {
  return {
    id: responseId,
    object: 'response',
    created_at: createdSecs,
    status: 'in_progress',
    background: false,
    error: null,
    incomplete_details: null,
    instructions: request.instructions,
    max_output_tokens: null,
    metadata: {},
    model: request.model,
    output: [],
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: 'medium', summary: null },
    service_tier: 'auto',
    temperature: 1,
    text: { format: { type: 'text' }, verbosity: 'medium' },
    tool_choice: request.tool_choice,
    tools: request.tools,
    top_logprobs: 0,
    top_p: 1,
    truncation: 'disabled',
    usage: null,
  };
}
