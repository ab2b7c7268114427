import { measureImage } from '../../images/measure-image.ts';
import type { Page } from '../../page.ts';
import { formatBytes, type TextKey, text } from '../../text/text.ts';
import { type Attachment, firstSource, randomId } from '../draft.ts';

const FAULTS: Record<FileFault, TextKey> = {
  format: 'make.file.format',
  unreadable: 'make.file.unreadable',
  large: 'make.file.large',
};

/** The default value of the setting `inputs.max_bytes_each`, in bytes. Used until the limits of the model are known. */
const USUAL_MAX_BYTES = 33_554_432;

/** Adds files to the draft. The first file becomes the source if the draft has none. Unusable files are reported. */
export async function attachFiles({ draft, chosen, toasts }: Page, files: readonly File[]) {
  const capabilities = chosen.peek()?.capabilities;
  const hasSource = () => firstSource(draft.attachments.peek()) !== undefined;
  for (const file of files) {
    const limits = hasSource() ? capabilities?.reference_images : capabilities?.edit_images;
    const maxBytes = limits?.max_bytes_each ?? USUAL_MAX_BYTES;
    const result = await readImageFile(file, maxBytes);
    // Other files may have been added while this file was read.
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

/** Changes the images of the draft. If the change removes the mask or an image, offers to undo the change. */
export function changeImages({ draft, undo }: Pick<Page, 'draft' | 'undo'>, change: () => void) {
  const { settings: _, labels: __, ...before } = draft.content();
  change();
  const now = draft.content();
  const isKept = ({ key }: Attachment) => now.attachments.some((each) => each.key === key);
  const removed = before.attachments.find((each) => !isKept(each));
  const restore = () => draft.restore({ ...draft.content(), ...before });
  if (removed !== undefined) undo.offer(text('make.removed', { name: removed.name }), restore);
  else if (before.mask && !now.mask) undo.offer(text('mask.removed'), restore);
}

/** Rounds a limit from 1 MB on down to whole megabytes, so that every file up to the displayed limit is accepted. */
function roundedDown(bytes: number): number {
  return bytes < 1_000_000 ? bytes : Math.floor(bytes / 1_000_000) * 1_000_000;
}

/** The reason why a file cannot be used. */
type FileFault = 'format' | 'unreadable' | 'large';

/** The accepted formats, each with its first bytes. `at` is the offset of these bytes in the file. */
const SIGNATURES = [
  { format: 'png', bytes: [0x89, 0x50, 0x4e, 0x47], at: 0 },
  { format: 'jpeg', bytes: [0xff, 0xd8, 0xff], at: 0 },
  { format: 'webp', bytes: [0x57, 0x45, 0x42, 0x50], at: 8 },
] as const;

/** Reads and decodes a local file as an attachment without a role, or returns the reason why this is impossible. */
async function readImageFile(
  file: File,
  maxBytes: number,
): Promise<Omit<Attachment, 'role'> | FileFault> {
  // A folder, or a file that has been removed, cannot be read.
  const start = await file
    .slice(0, 16)
    .arrayBuffer()
    .catch(() => undefined);
  if (start === undefined) return 'unreadable';
  const head = new Uint8Array(start);
  const found = SIGNATURES.find(({ bytes, at }) => bytes.every((byte, i) => head[at + i] === byte));
  if (found === undefined) return 'format';
  if (file.size > maxBytes) return 'large';
  const size = await measureImage(file);
  if (size === undefined) return 'unreadable';
  return {
    key: randomId(),
    name: file.name,
    format: found.format,
    ...size,
    bytes: file.size,
    content: file,
  };
}
