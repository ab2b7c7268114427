import { BridgeError } from '../../errors/bridge-error.ts';
import type { ProviderOutput } from '../provider-port.ts';
import { type FailedCall, refusal } from './backend-errors.ts';
import type { BackendItem } from './backend-event.ts';
import type { EventData } from './event-data.ts';
import { createSeenShapes } from './seen-shapes.ts';

/** Collects the pictures among the items of one answer; the answer has to come to exactly one. */
export function createFoundImages(call: FailedCall) {
  const shapes = createSeenShapes();
  const images: Buffer[] = [];
  let isUnusable = false;
  let hasRefusal = false;
  let hasFailedCall = false;
  let revisedPrompt: string | undefined;

  return {
    take(item: BackendItem, data: EventData): void {
      shapes.note(item);
      if (item.content?.some(({ type }) => type === 'refusal')) hasRefusal = true;
      if (item.type !== 'image_generation_call') return;
      revisedPrompt ??= item.revised_prompt ?? undefined;
      // The result is the truth: an item that still says `generating` but holds one is finished.
      if (!item.result) {
        if (item.status === 'failed') hasFailedCall = true;
        return;
      }
      const bytes = data.bytesOf(item.result);
      if (!bytes || bytes.length === 0) isUnusable = true;
      else if (!images.some((known) => known.equals(bytes))) images.push(bytes);
    },

    hasImage: () => images.length > 0,

    /** Throws `protocol` for pictures that are unusable or differ, `safety_rejected` or `upstream` for none. */
    single(): ProviderOutput {
      const [bytes, ...others] = images;
      if (isUnusable || others.length > 0) {
        const reason = isUnusable ? 'unusable_image' : 'different_images';
        const message = 'the backend gave no single usable picture';
        throw new BridgeError('protocol', message, { details: { reason } });
      }
      if (bytes) return revisedPrompt === undefined ? { bytes } : { bytes, revisedPrompt };
      if (hasRefusal) throw refusal(call);
      const message = hasFailedCall
        ? 'the backend failed to make the picture'
        : 'the backend completed without a picture';
      const again = { retryable: true, transient: true };
      throw new BridgeError('upstream', message, { ...again, details: shapes.details() });
    },
  };
}
