import { BridgeError } from '../../errors/bridge-error.ts';
import { refusal } from '../backend/backend-errors.ts';
import { unusableImages } from '../failed-calls.ts';
import type { StreamedJson } from '../http/streamed-json.ts';
import type { CallFacts, ProviderOutput } from '../provider-port.ts';
import type { BackendItem } from './backend-event.ts';
import { createSeenShapes } from './seen-shapes.ts';

/** Collects the images among the items of one response, which must hold exactly one image. */
export function createFoundImages(request: CallFacts) {
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
