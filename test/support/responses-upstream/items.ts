import type {
  ResponseOutputMessage,
  ResponseReasoningItem,
} from 'openai/resources/responses/responses';
import type { Ids } from '../../../lib/platform/ids.ts';
import type { Base64Slots } from '../upstream/base64-slots.ts';
import type { ImageCallItem, ImageNotes } from './wire-types.ts';

interface Deps {
  readonly ids: Ids;
  readonly slots: Base64Slots;
  readonly notes: ImageNotes;
  readonly revisedPrompt: string;
}

/** Builds the output items of one call. */
export function createItems({ ids, slots, notes, revisedPrompt }: Deps) {
  return {
    newCallId: () => `ig_${ids.newOpaqueId()}`,

    /** Returns an image call that has not ended or has failed, without an image. */
    emptyCall(id: string, status: 'in_progress' | 'failed'): ImageCallItem {
      return { type: 'image_generation_call', id, status, result: null };
    },

    /** Returns an image call with its image. */
    finishedCall(id: string, status: ImageCallItem['status'], base64: Buffer): ImageCallItem {
      const result = slots.mark(base64);
      const revised_prompt = revisedPrompt;
      return { type: 'image_generation_call', id, status, result, ...notes, revised_prompt };
    },

    message(content: ResponseOutputMessage['content']): ResponseOutputMessage {
      const id = `msg_${ids.newOpaqueId()}`;
      return { type: 'message', id, role: 'assistant', status: 'completed', content };
    },

    reasoning(): ResponseReasoningItem {
      return { type: 'reasoning', id: `rs_${ids.newOpaqueId()}`, summary: [] };
    },
  };
}
