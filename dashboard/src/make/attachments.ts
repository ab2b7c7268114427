import type { Toasts } from '../shell/toasts.ts';
import { formatBytes, type TextKey, text } from '../text/text.ts';
import type { Draft } from './draft.ts';
import { type FileFault, readImageFile } from './read-image-file.ts';

const FAULTS: Record<FileFault, TextKey> = {
  format: 'make.file.format',
  unreadable: 'make.file.unreadable',
  large: 'make.file.large',
};

/** Adds files to the draft, the first as its source where it has none. What cannot be used is named, the rest is taken. */
export async function attachFiles(draft: Draft, toasts: Toasts, files: readonly File[]) {
  for (const file of files) {
    const hasSource = draft.attachments.peek().some(({ role }) => role === 'source');
    const result = await readImageFile(file, hasSource ? 'reference' : 'source');
    if (typeof result !== 'string') draft.attach(result);
    else {
      toasts.show({
        kind: 'failed',
        text: text('make.file.cannotBeRead', { name: file.name }),
        detail: text(FAULTS[result], { size: formatBytes(file.size) }),
      });
    }
  }
}
