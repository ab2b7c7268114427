import type { Page } from '../../page.ts';
import { formatBytes, type TextKey, text } from '../../text/text.ts';
import { firstSource } from '../draft.ts';
import { type FileFault, readImageFile } from './read-image-file.ts';

const FAULTS: Record<FileFault, TextKey> = {
  format: 'make.file.format',
  unreadable: 'make.file.unreadable',
  large: 'make.file.large',
};

/** inputs.max_bytes_each, as it is set unless the operator changes it: until the model's limits are known. */
const USUAL_MAX_BYTES = 33_554_432;

/** Adds files to the draft, the first as its source where it has none. What cannot be used is named, the rest is taken. */
export async function attachFiles({ draft, chosen, toasts }: Page, files: readonly File[]) {
  const capabilities = chosen.peek()?.capabilities;
  const hasSource = () => firstSource(draft.attachments.peek()) !== undefined;
  for (const file of files) {
    const limits = hasSource() ? capabilities?.reference_images : capabilities?.edit_images;
    const maxBytes = limits?.max_bytes_each ?? USUAL_MAX_BYTES;
    const result = await readImageFile(file, maxBytes);
    // Other files may have been added while this one was read.
    if (typeof result !== 'string') {
      draft.attach({ ...result, role: hasSource() ? 'reference' : 'source' });
    } else {
      toasts.show({
        kind: 'failed',
        text: text('make.file.cannotBeRead', { name: file.name }),
        detail: text(FAULTS[result], {
          size: formatBytes(file.size),
          limit: formatBytes(roundedDown(maxBytes)),
        }),
      });
    }
  }
}

/** A limit in whole megabytes: a file that has no more is taken. */
function roundedDown(bytes: number): number {
  return bytes < 1_000_000 ? bytes : Math.floor(bytes / 1_000_000) * 1_000_000;
}
